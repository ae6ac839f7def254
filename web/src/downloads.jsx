// Files to take away: the project, all results, the pictures that are seen.
import { useRef, useState } from "preact/hooks";
import { pictureFiles } from "./drawing.jsx";
import { question } from "./state.js";

function save(name, parts, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function Downloads({ state, results, kernel, say }) {
  const menu = useRef(null);
  const [busy, setBusy] = useState(false);
  const close = () => { menu.current.open = false; };
  const made = async (path, type) => {
    close();
    setBusy(true);
    try {
      const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question(state)) });
      if (answer.ok) save(`${kernel}.${path.split(".")[1]}`, [await answer.blob()], type);
      else say((await answer.json()).error?.message ?? "the file could not be made");
    } catch {
      say("the server cannot be reached");
    } finally {
      setBusy(false);
    }
  };
  const json = () => {
    close();
    const found = Object.fromEntries(Object.entries(results).filter(([, each]) => each.data).map(([pane, each]) => [pane, each.data]));
    save(`${kernel}.json`, [JSON.stringify({ request: question(state), panes: found }, null, 2)], "application/json");
  };
  const pictures = () => {
    close();
    const files = pictureFiles(document.querySelector("#pane"));
    if (!files.length) say("no picture in this pane");
    for (const file of files) save(`${kernel}-${file.name}`, [file.text], "image/svg+xml");
  };
  return (
    <details class="menu" ref={menu} onKeyDown={(event) => event.key === "Escape" && close()}>
      <summary aria-label="Download">{busy ? "Making …" : "Download"}</summary>
      <div class="menu-items">
        <button type="button" onClick={() => made("project.zip", "application/zip")}>Project <small>C, HLS, Verilog, VHDL as zip</small></button>
        <button type="button" onClick={() => made("waveform.vcd", "text/plain")}>Waveform <small>first 10 000 cycles of the hardware as VCD</small></button>
        <button type="button" onClick={json}>Results <small>all panes as JSON</small></button>
        <button type="button" onClick={pictures}>Pictures <small>of this pane as SVG</small></button>
      </div>
    </details>
  );
}
