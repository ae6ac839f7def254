// The whole state of the page, and the fragment of an address that holds it.
import { EXAMPLES } from "./examples.js";

const VERSION = 1;

export const fresh = (source) => ({ source, parameters: {}, options: {}, memory: "paper", tab: "tiles", language: "c" });

export function initial(settings) {
  return fresh(settings.source ?? EXAMPLES[0][2]);
}

export async function encoded(state) {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: VERSION, ...state }));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state that a fragment holds; null where it holds none.
export async function decoded(fragment) {
  if (!fragment) return null;
  try {
    const text = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(text, (char) => char.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const { v, ...state } = JSON.parse(new TextDecoder().decode(bytes));
    return v === VERSION && typeof state.source === "string" ? { ...fresh(""), ...state } : null;
  } catch {
    return null;
  }
}

async function through(bytes, stream) {
  const written = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(written).arrayBuffer());
}

// What the server is asked, without what only the page needs.
export function question({ source, parameters, options, memory }) {
  return { source, parameters, options, memory };
}

// A question about all tile sizes and lanes.
export function anyDesign(asked) {
  const { sizes, unroll, ...options } = asked.options;
  return { ...asked, options };
}
