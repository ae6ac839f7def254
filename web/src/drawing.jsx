// Pictures that the server drew, in a shadow of their own: their styles stay with them, colours are those of the page.
import { useEffect, useRef } from "preact/hooks";

const STYLE = `
:host { display: block; min-width: 0; }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--soft); font: 11px var(--sans); }
text.lane { fill: var(--ink); font-size: 13px; font-weight: 600; }
rect.plane { fill: var(--plane); }
.grid { fill: none; stroke: var(--card); stroke-width: 0.6px; vector-effect: non-scaling-stroke; }
.picture g { transition: opacity 120ms; }
.picture g path { shape-rendering: crispEdges; }
.even { --light: var(--even); } .odd { --light: var(--odd); }
.even, .odd { fill: oklch(var(--light) 0.125 var(--hue)); }
`;
const OWN = {
  picture: "",
  timeline: `.lane { fill: var(--plane); } .load { fill: var(--load); } .compute { fill: var(--compute); } .store { fill: var(--store); }
    .odd { opacity: 0.62; } svg { min-width: 640px; width: 100%; } svg text { font-size: 15px; }`,
  network: `.process { fill: var(--card); stroke: var(--soft); } .process.load { fill: var(--load-soft); } .process.compute { fill: var(--compute-soft); }
    .process.store { fill: var(--store-soft); } .channel { stroke: var(--soft); } .channel.apart { stroke: var(--bad); } marker path { fill: var(--soft); }
    svg text { fill: var(--ink); font-size: 13px; } svg text.label { fill: var(--soft); font-size: 11px; }`,
  curve: `.axis { stroke: var(--line); } .found { stroke: var(--accent); } .point { fill: var(--accent); } .bound { stroke: var(--bad); } .least { stroke: var(--good); }
    svg text { font-size: 12px; } svg { width: 100%; }`,
  front: "svg text { font-size: 12px; } svg { width: 100%; } circle { fill: var(--accent); } polyline { stroke: var(--accent); }",
};

export function Drawing({ svg, kind, label, update }) {
  const host = useRef(null);
  useEffect(() => {
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    root.innerHTML = `${svg}<style>${STYLE}${OWN[kind]}</style>`;
    const drawn = root.querySelector("svg");
    if (drawn && kind === "curve") drawn.setAttribute("viewBox", `0 0 ${drawn.getAttribute("width")} ${drawn.getAttribute("height")}`);
    if (drawn) drawn.setAttribute("role", "img");
    if (drawn) drawn.setAttribute("aria-label", label);
  }, [svg, kind, label]);
  useEffect(() => {
    if (update) update(host.current.shadowRoot);
  });
  return <div class={`drawing ${kind}`} ref={host} data-name={label} />;
}

// The pictures inside an element as files: colours become those that are seen now.
export function pictureFiles(parent) {
  return [...parent.querySelectorAll(".drawing")].filter((host) => host.shadowRoot?.querySelector("svg")).map((host) => ({
    name: `${host.dataset.name.replaceAll(/\W+/g, "-")}.svg`,
    text: standalone(host.shadowRoot.querySelector("svg")),
  }));
}

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight"];

function standalone(drawn) {
  const copy = drawn.cloneNode(true);
  const all = [drawn, ...drawn.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, position) => {
    const seen = getComputedStyle(all[position]);
    for (const name of PAINT) if (seen.getPropertyValue(name)) node.style?.setProperty(name, seen.getPropertyValue(name));
  });
  copy.querySelectorAll("style").forEach((style) => style.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}
