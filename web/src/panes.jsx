// The panes on the right: each shows what the server found of one question.
import { useEffect, useRef, useState } from "preact/hooks";
import { Drawing } from "./drawing.jsx";
import { SourceView, showLinks } from "./editor.js";
import { Bar, Card, Isl, number, plural, Table } from "./parts.jsx";

const values = (parameters) => Object.entries(parameters).map(([name, value]) => `${name} = ${value}`).join(", ");

export function KernelPane({ data, onGo }) {
  return (
    <>
      <Card title={data.kernel} aside={data.exact ? "all accesses exact" : "some accesses approximated"}>
        <dl class="pairs">
          <dt>parameters</dt><dd>{data.parameters.join(", ") || "none"}</dd>
          <dt>known of them</dt><dd><Isl text={data.context} /></dd>
          {(data.assumptions ?? []).map(({ condition, reason }) => <><dt>assumes</dt><dd><Isl text={condition} /> {reason}</dd></>)}
          {data.temporaries.map((text) => <><dt>temporary</dt><dd>{text}</dd></>)}
        </dl>
        {data.warnings.map((text) => <p class="warning">{text}</p>)}
      </Card>
      <Card title="Arrays">
        <Table label="Arrays" columns={["array", "type", "extents", "live-in", "live-out"]}
          rows={Object.entries(data.arrays).map(([name, array]) => [<code>{name}</code>, array.type, array.extents.join(" × ") || "scalar", array.live_in ? "yes" : "–", array.live_out ? "yes" : "–"])} />
      </Card>
      {data.statements.map((statement) => (
        <Card title={statement.name} aside={statement.line && <button type="button" class="link" onClick={() => onGo(statement.line, 1)}>line {statement.line}</button>}>
          <dl class="pairs">
            <dt>domain</dt><dd><Isl text={statement.domain} /></dd>
            <dt>schedule</dt><dd><Isl text={statement.schedule} /></dd>
            {statement.reads.map((text, k) => <><dt>{statement.may_reads[k] ? "may read" : "reads"}</dt><dd><Isl text={text} /></dd></>)}
            {statement.writes.map((text, k) => <><dt>{statement.may_writes[k] ? "may write" : "writes"}</dt><dd><Isl text={text} /></dd></>)}
          </dl>
        </Card>
      ))}
    </>
  );
}

const KINDS = { flow: "a value is read after it was written", anti: "a cell is written after it was read", output: "a cell is written again" };

export function DependencesPane({ data }) {
  if (!data.rows.length) return <Card><p>No instance depends on another: all may run at once.</p></Card>;
  return Object.entries(KINDS).map(([kind, meaning]) => {
    const rows = data.rows.filter((row) => row.kind === kind);
    return rows.length > 0 && (
      <Card title={`${kind} dependences`} aside={meaning}>
        {rows.map((row) => (
          <div class="dependence">
            <p class="edge"><b>{row.source}</b><span aria-label="before"> → </span><b>{row.target}</b></p>
            <Isl text={row.relation} />
            {row.distance && <p class="soft">distance <Isl text={row.distance} /></p>}
          </div>
        ))}
      </Card>
    );
  });
}

export function TilingPane({ data }) {
  return (
    <>
      <Card title="Tiling">
        <p>{data.sentence}.</p>
        {data.choice && <p class="soft">Chosen: {data.choice}</p>}
        <dl class="pairs">
          <dt>sizes</dt><dd>{data.sizes.join(" × ")}</dd>
          <dt>strips over</dt><dd>{data.inner.join(", ")}{data.outer.length ? `, one for each ${data.outer.join(", ")}` : ""}</dd>
          <dt>as a pragma</dt><dd>{data.pragma ? <code>{data.pragma}</code> : "none: statements were changed"}</dd>
        </dl>
      </Card>
      <Card title="Schedule" aside="instances to dates; tiles run in the order of dates over sizes">
        {data.schedules.map((text) => <Isl text={text} />)}
      </Card>
      {data.auto && (
        <Card title="Automatic choice" aside={`${plural(data.auto.orders, "order")} looked at, ${plural(data.auto.plans, "plan")} made`}>
          <dl class="pairs">
            <dt>words</dt><dd>{number(data.auto.words)}</dd>
            <dt>compulsory, bound</dt><dd>{number(data.auto.compulsory)}, {number(data.auto.bound)}</dd>
            <dt>cells</dt><dd>{number(data.auto.cells)} of {number(data.auto.local)}</dd>
            <dt>ratio</dt><dd>{data.auto.ratio}</dd>
          </dl>
        </Card>
      )}
    </>
  );
}

export function TilesPane({ data, onStrip }) {
  const [tile, setTile] = useState(0);
  const [all, setAll] = useState(false);
  const [playing, setPlaying] = useState(false);
  const last = data.tiles.length - 1;
  const shown = Math.min(tile, Math.max(0, last));
  useEffect(() => {
    if (!playing) return undefined;
    const timer = setInterval(() => setTile((now) => (Math.min(now, last) >= last ? 0 : now + 1)), 700);
    return () => clearInterval(timer);
  }, [playing, last]);
  if (!data.tiles.length) return <Card><p>No statement is executed.</p></Card>;
  const now = data.tiles[shown];
  const moved = (record) => Object.entries(record).filter(([, count]) => count).map(([name, count]) => `${name} ${number(count)}`).join(", ") || "nothing";
  return (
    <>
      <Card>
        <div class="time">
          <button type="button" class="play" aria-pressed={playing} aria-label={playing ? "Pause" : "Play"} onClick={() => setPlaying(!playing)}>{playing ? "❚❚" : "▶"}</button>
          <label class="grow">
            <span>tile <output>{now.name}</output> <small>{shown + 1} of {number(data.tile_count)}</small></span>
            <input type="range" min="0" max={last} value={shown} aria-label="Tile in time" aria-valuetext={now.name} onInput={(event) => { setPlaying(false); setAll(false); setTile(Number(event.target.value)); }} />
          </label>
          <label class="check"><input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> all tiles</label>
        </div>
        {data.position !== null && data.strips > 1 && <Strip data={data} onStrip={onStrip} />}
        <dl class="steps">
          <div class="load"><dt>loads</dt><dd>{moved(now.loaded)}</dd></div>
          <div class="compute"><dt>computes</dt><dd>{plural(now.instances, "instance")}</dd></div>
          <div class="store"><dt>stores</dt><dd>{moved(now.stored)}</dd></div>
        </dl>
      </Card>
      <div class="pictures">
        {data.pictures.map((picture) => <Picture picture={picture} tile={all ? null : shown} />)}
      </div>
      <Card title="In words">
        <dl class="pairs">{data.sentences.map(({ array, text }) => <><dt><code>{array}</code></dt><dd>{text}</dd></>)}</dl>
        {data.notes.map((text) => <p class="soft">{text}</p>)}
      </Card>
    </>
  );
}

function Strip({ data, onStrip }) {
  const [wanted, setWanted] = useState(null);
  useEffect(() => setWanted(null), [data]);
  useEffect(() => {
    if (wanted === null) return undefined;
    const timer = setTimeout(() => onStrip(wanted), 80);
    return () => clearTimeout(timer);
  }, [wanted]);
  return (
    <label class="strip">
      <span>strip <output>{data.strip}</output> <small>{(wanted ?? data.position) + 1} of {number(data.strips)}</small></span>
      <input type="range" min="0" max={data.strips - 1} value={wanted ?? data.position} aria-label="Strip in time" aria-valuetext={data.strip} onInput={(event) => setWanted(Number(event.target.value))} />
    </label>
  );
}

function Picture({ picture, tile }) {
  const update = (root) => root.querySelectorAll(".picture svg > g").forEach((group, position) => {
    const at = picture.tiles[position];
    group.setAttribute("opacity", tile === null || at === tile ? 1 : at < tile ? 0.26 : 0.06);
    group.dataset.now = String(tile === null || at === tile);
  });
  const extents = picture.extents.join(" × ");
  const note = [
    picture.slice.length ? `slice ${picture.slice.map((value) => `[${value}]`).join("")}` : "",
    picture.block.some((side) => side > 1) ? `in blocks of ${picture.block.join(" × ")}` : "",
  ].filter(Boolean).join(", ");
  return (
    <figure class={picture.extents.length > 1 ? "" : "row"}>
      <figcaption><b class={picture.side}>{picture.side}</b> <code>{picture.array}</code> <small>{extents || "scalar"}{note && `, ${note}`}</small></figcaption>
      <Drawing svg={picture.svg} kind="picture" label={`${picture.side}s of ${picture.array}`} update={update} />
    </figure>
  );
}

export function TrafficPane({ data, tiling }) {
  const own = data.ways[0];
  const words = own.load + own.store;
  const most = Math.max(...data.ways.map((way) => way.load + way.store));
  const needed = Math.max(data.bound ?? 0, data.compulsory);
  return (
    <>
      <Card title="Words moved" aside={tiling && values(tiling.values)}>
        <ul class="legend"><li><i class="load" />loaded</li><li><i class="store" />stored</li></ul>
        <Table label="Ways of moving the data" columns={["way", "", ">loaded", ">stored", ">total"]}
          rows={data.ways.map((way) => [way.way, <Bar parts={[["load", way.load], ["store", way.store]]} most={most} label={`${number(way.load + way.store)} words`} />, number(way.load), number(way.store), number(way.load + way.store)])} />
        {!data.exact && <p class="warning">Approximated: {data.reason}</p>}
      </Card>
      <Card title="Against what is needed">
        <Table label="Against what is needed" columns={["", "", ">words", ">ratio"]} rows={[
          ["this plan", <Bar parts={[["load", own.load], ["store", own.store]]} most={Math.max(words, needed)} label="this plan" />, number(words), "1.00"],
          ["compulsory", <Bar parts={[["good", data.compulsory]]} most={Math.max(words, needed)} label="compulsory" />, number(data.compulsory), (words / Math.max(1, data.compulsory)).toFixed(2)],
          [`bound with ${number(data.cells)} cells`, <Bar parts={[["good", data.bound ?? 0]]} most={Math.max(words, needed)} label="bound" />, number(data.bound), data.bound ? (words / data.bound).toFixed(2) : "–"],
        ]} />
      </Card>
      <Card title="By array">
        <Table label="Volumes by array" columns={["array", ">loaded", ">stored", "loads in closed form", "stores in closed form"]}
          rows={data.arrays.map((array) => [<code>{array.name}</code>, number(array.loaded), number(array.stored), <Isl text={array.load_volume} />, <Isl text={array.store_volume} />])} />
      </Card>
      <Card title="Relations from tiles to elements">
        {data.arrays.map((array) => (
          <details><summary><code>{array.name}</code></summary>
            <p class="soft">load</p><Isl text={array.load} /><p class="soft">store</p><Isl text={array.store} />
          </details>
        ))}
      </Card>
    </>
  );
}

export function BuffersPane({ data }) {
  const bits = data.rows.reduce((sum, row) => sum + (Number(row.cells) || 0) * row.copies * row.bits, 0);
  return (
    <>
      <Card title="Local buffers" aside={`${number(bits / 8)} bytes in all`}>
        <Table label="Local buffers" columns={["array", "type", "shape", ">cells", ">copies", ">most live", ">cells per live"]}
          rows={data.rows.map((row) => [<code>{row.array}</code>, row.type, row.shape.join(" × ") || "register", number(row.cells), row.copies, number(row.max_live), row.ratio?.toFixed(2) ?? "–"])} />
      </Card>
      <Card title="Mappings" aside="element to cell">
        {data.rows.map((row) => <Isl text={row.mapping} />)}
      </Card>
      <Card title="Pipeline" aside={plural(data.depth, "tile") + " in flight"}>
        <p>Strips {data.mode}: {data.why}.</p>
        {Object.entries(data.reasons).map(([name, reason]) => <p class="soft"><code>{name}</code>: {reason}</p>)}
      </Card>
    </>
  );
}

export function TimelinePane({ data }) {
  const memory = data.memory;
  return (
    <>
      <Card title="Load, compute, store" aside={`${number(data.cycles)} cycles on ${memory.name}`}>
        <div class="scroll" tabindex="0" role="region" aria-label="Timeline"><Drawing svg={data.svg} kind="timeline" label="timeline" /></div>
        {data.shown < data.all && <p class="soft">The first {number(data.shown)} of {number(data.all)} tiles.</p>}
        {data.sampled && <p class="soft">{number(data.sampled.tiles)} of {number(data.sampled.of)} tiles were simulated; they stand for the others.</p>}
      </Card>
      <Card title="External memory" aside="predicted at the level of bursts">
        <dl class="pairs">
          <dt>cycles per instance</dt><dd>{(data.cycles / Math.max(1, data.instances)).toFixed(2)}</dd>
          <dt>words read, written</dt><dd>{number(memory.words_read)}, {number(memory.words_written)}</dd>
          <dt>row hits, changes</dt><dd>{number(memory.row_hits)}, {number(memory.row_changes)}</dd>
          {memory.busy !== null && <><dt>busy</dt><dd>{(100 * memory.busy).toFixed(0)} %</dd></>}
          <dt>words as planned</dt><dd>{data.loaded === data.predicted.loaded && data.stored === data.predicted.stored ? "yes" : "no"}</dd>
        </dl>
      </Card>
    </>
  );
}

export function NetworkPane({ data }) {
  const sum = data.summary;
  return (
    <>
      <Card title="Process network" aside={`${plural(sum.channels, "channel")}, ${sum.fifo} of them FIFOs`}>
        <div class="scroll" tabindex="0" role="region" aria-label="Process network"><Drawing svg={data.svg} kind="network" label="process network" /></div>
        <p class="soft">Dashed: channels that are not read in the order in which they are written.</p>
      </Card>
      <Card title="Channels" aside={Object.keys(data.parameters).length ? `sizes for ${values(data.parameters)}` : ""}>
        <Table label="Channels" columns={["channel", "from", "to", "array", "pattern", ">size"]}
          rows={data.channels.map((each) => [<code>{each.id}</code>, each.producer, each.consumer, <code>{each.array}</code>, each.pattern, number(each.size)])} />
      </Card>
    </>
  );
}

export function ReusePane({ data }) {
  const orders = [["source", "in the order of the source"], ["tiles", "in the order of the tiles"]];
  const most = Math.max(1, ...orders.flatMap(([key]) => [data[key].cold, ...data[key].histogram.map((row) => row.reuses)]));
  return (
    <>
      <p class="soft lead">How many other elements are accessed between two accesses of an element{Object.keys(data.parameters).length ? `, for ${values(data.parameters)}` : ""}{data.smaller ? " (smaller than chosen, so that it takes no time)" : ""}. A cache of this size keeps the element.</p>
      <div class="columns">
        {orders.map(([key, title]) => (
          <Card title={title} aside={plural(data[key].accesses, "access").replace(/accesss$/, "accesses")}>
            <Table label={`Reuse distances ${title}`} columns={["distance", "", ">reuses", ">LRU misses"]}
              rows={[...data[key].histogram.map((row) => [row.from === row.to ? row.from : `${row.from}–${row.to}`, <Bar parts={[["accent", row.reuses]]} most={most} label={`${row.reuses} reuses`} />, number(row.reuses), number(row.misses)]),
                ["first access", <Bar parts={[["soft", data[key].cold]]} most={most} label={`${data[key].cold} first accesses`} />, number(data[key].cold), ""]]} />
            {data[key].suggestions.map((text) => <p class="soft">{text}</p>)}
          </Card>
        ))}
      </div>
    </>
  );
}

export function HardwarePane({ data }) {
  const memory = data.memories.reduce((sum, each) => sum + each.bits, 0);
  return (
    <>
      <Card title="What the accelerator is made of" aside="exact, before synthesis">
        <dl class="pairs">
          <dt>registers</dt><dd>{number(data.register_bits)} bits</dd>
          <dt>memories</dt><dd>{number(memory)} bits in {plural(data.memories.length, "memory").replace(/memorys$/, "memories")}</dd>
          <dt>modules</dt><dd>{number(data.modules)}</dd>
          <dt>lanes</dt><dd>{data.lanes}</dd>
          <dt>bus</dt><dd>{data.bus.protocol}, {data.bus.width} bits, bursts of {data.bus.burst}</dd>
        </dl>
      </Card>
      <Card title="Statements" aside="pipelines">
        <Table label="Pipelines of statements" columns={["statement", ">interval", ">latency", "why"]}
          rows={Object.entries(data.statements).map(([name, each]) => [name, each.interval, each.latency, each.reason])} />
      </Card>
      <Card title="Operators">
        <Table label="Operators" columns={["unit", ">count"]} rows={Object.entries(data.operators).map(([name, count]) => [<code>{name}</code>, count])} />
      </Card>
      <Card title="Memories">
        <Table label="Memories" columns={["memory", ">words", ">width", ">bits"]} rows={data.memories.map((each) => [<code>{each.name}</code>, number(each.words), each.width, number(each.bits)])} />
      </Card>
      <p class="soft">Look-up tables and clock come from synthesis: <code>loadstone synth</code>.</p>
    </>
  );
}

export function ExplorePane({ data, busy, onUse }) {
  return (
    <>
      <Card title="Words against local memory" aside={busy ? `${data.curve.length} of ${data.total} …` : plural(data.curve.length, "point")}>
        <progress max={data.total} value={data.curve.length} aria-label="Points found" />
        <Drawing svg={data.svg} kind="curve" label="words against local memory" />
        <ul class="legend"><li><i class="accent" />found</li><li><i class="bad" />bound</li><li><i class="good" />compulsory</li></ul>
      </Card>
      <Card title="Points">
        <Table label="Points of the curve" columns={["local words", ">words", ">bound", ">cells", "sizes", ""]}
          rows={data.curve.map((point, k) => [number(point.local), number(point.words), number(point.bound), number(point.cells), point.sizes?.join(" × ") ?? "–",
            data.pragmas[k] ? <button type="button" onClick={() => onUse(data.pragmas[k])}>Use</button> : ""])} />
      </Card>
    </>
  );
}

export function FrontPane({ data, busy, onChoose }) {
  return (
    <>
      <Card title="Designs that no other one beats" aside={busy ? `${number(data.done)} of ${plural(data.space, "design")} …` : plural(data.front.length, "design")}>
        <progress max={data.space} value={data.done} aria-label="Designs done" />
        <Drawing svg={data.svg} kind="front" label="cells against cycles" />
        <p class="soft">{busy ? "" : `${data.certainty}. `}Cycles are predicted{Object.keys(data.parameters).length ? ` for ${values(data.parameters)}` : ""}; sizes and lanes vary, all else is as chosen.</p>
      </Card>
      <Card title="Front">
        <Table label="Designs of the front" columns={["sizes", ">lanes", ">cycles", ">cells", ">words", ">LUT", ">blocks", ">multipliers", ""]}
          rows={data.front.map(({ choices, measures }) => [choices.sizes?.join(" × ") ?? "–", choices.unroll ?? 1, number(measures.cycles), number(measures.cells), number(measures.words), number(measures.lut), number(measures.blocks), number(measures.dsp),
            choices.sizes ? <button type="button" onClick={() => onChoose({ sizes: choices.sizes.join(","), unroll: String(choices.unroll ?? 1) })}>Use</button> : ""])} />
      </Card>
    </>
  );
}

export function RunPane({ data, onRun }) {
  return (
    <Card title="Run against the original" aside="C with threads, on this machine">
      <p><button type="button" class="primary" onClick={onRun}>Run</button></p>
      {data && (
        <dl class="pairs">
          <dt>result</dt><dd class={data.match ? "good" : "bad"}>{data.match ? "agrees bit by bit" : `${number(data.mismatches)} cells differ`}</dd>
          <dt>loaded</dt><dd>{number(data.loaded)} words, predicted {number(data.predicted.loaded)}</dd>
          <dt>stored</dt><dd>{number(data.stored)} words, predicted {number(data.predicted.stored)}</dd>
        </dl>
      )}
    </Card>
  );
}

export const LANGUAGES = { c: "C", hls: "HLS C++", verilog: "SystemVerilog", vhdl: "VHDL" };

export function CodePane({ data, language, onLanguage, hues, lit, onLight, problems }) {
  const host = useRef(null);
  const viewer = useRef(null);
  const [path, setPath] = useState(null);
  const files = data?.files ?? [];
  const file = files.find((each) => each.path === path) ?? files[0];
  useEffect(() => {
    viewer.current = new SourceView(host.current, onLight);
    return () => viewer.current.view.destroy();
  }, []);
  useEffect(() => viewer.current.show(file?.text ?? "", language), [file?.text, language]);
  useEffect(() => showLinks(viewer.current.view, file?.links ?? [], hues, lit), [file, hues, lit]);
  useEffect(() => {
    if (file?.links.length) viewer.current.reveal(file.links[0][0]);
  }, [file?.path, language]);
  return (
    <div class="code">
      <div class="code-head">
        <div class="segments" role="radiogroup" aria-label="Language">
          {Object.entries(LANGUAGES).map(([key, name]) => (
            <label><input type="radio" name="language" value={key} checked={key === language} onChange={() => onLanguage(key)} /><span>{name}</span></label>
          ))}
        </div>
        <label class="file">file
          <select value={file?.path ?? ""} onChange={(event) => setPath(event.target.value)}>
            {files.map((each) => <option value={each.path}>{each.path}</option>)}
          </select>
        </label>
      </div>
      {problems}
      <div class="viewer" ref={host} />
    </div>
  );
}
