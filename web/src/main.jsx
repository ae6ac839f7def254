// The explorer: a kernel on the left, what becomes of it on the right.
import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./controls.jsx";
import { Downloads } from "./downloads.jsx";
import { goTo, kernelEditor, replaceText, showLinks, showProblems, withTiling } from "./editor.js";
import { EXAMPLES } from "./examples.js";
import "./explorer.css";
import { BuffersPane, CodePane, DependencesPane, ExplorePane, FrontPane, HardwarePane, KernelPane, NetworkPane, ReusePane, RunPane, TilesPane, TilingPane, TimelinePane, TrafficPane } from "./panes.jsx";
import { number, Problems } from "./parts.jsx";
import { Connection } from "./socket.js";
import { anyDesign, decoded, encoded, fresh, initial, question } from "./state.js";

const PANES = ["kernel", "dependences", "tiling", "traffic", "tiles", "buffers", "timeline", "network", "reuse", "c", "hls", "verilog", "vhdl", "resources"];
const TABS = [
  ["kernel", "Kernel", KernelPane], ["dependences", "Dependences", DependencesPane], ["tiling", "Tiling", TilingPane], ["tiles", "Tiles", TilesPane], ["traffic", "Traffic", TrafficPane],
  ["buffers", "Buffers", BuffersPane], ["timeline", "Timeline", TimelinePane], ["network", "Network", NetworkPane], ["reuse", "Reuse", ReusePane],
  ["code", "Code", CodePane], ["resources", "Hardware", HardwarePane], ["curve", "Explore", ExplorePane], ["front", "Designs", FrontPane], ["run", "Run", RunPane],
];
const LIVE = ["curve", "front"];
const DEBOUNCE = 120;
const HUES = [255, 50, 150, 330, 200, 95, 290, 20];

function useStored(key, fallback) {
  const [value, setValue] = useState(() => localStorage.getItem(key) ?? fallback);
  return [value, (next) => { localStorage.setItem(key, next); setValue(next); }];
}

function App({ settings, start }) {
  const [state, setState] = useState(start);
  const [results, setResults] = useState({});
  const [problems, setProblems] = useState([]);
  const [busy, setBusy] = useState({ main: true });
  const [online, setOnline] = useState(true);
  const [lit, setLit] = useState(null);
  const [note, setNote] = useState("");
  const [theme, setTheme] = useStored("loadstone-theme", "auto");
  const [split, setSplit] = useStored("loadstone-split", "40");
  const editor = useRef(null);
  const connection = useRef(null);
  const asking = useRef(null);
  const change = useCallback((part) => setState((now) => ({ ...now, ...part })), []);

  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);

  const answered = useCallback((answer) => {
    if (answer.pane === "end") setBusy((now) => ({ ...now, [answer.slot]: false }));
    else if (answer.pane === "refused") setProblems([answer.error]);
    else if (answer.pane === "problems") {
      if (answer.slot === "main") setProblems(answer.problems);
    } else setResults((now) => ({ ...now, [answer.pane]: { data: answer.data ?? now[answer.pane]?.data, problems: answer.problems, ms: answer.ms, fresh: true } }));
  }, []);

  useEffect(() => {
    connection.current = new Connection(answered, setOnline);
  }, []);

  const asked = useMemo(() => question(state), [state.source, state.parameters, state.options, state.memory]);
  useEffect(() => {
    for (const slot of ["main", "strip"]) connection.current.forget(slot);
    setBusy((now) => ({ ...now, main: true }));
    const timer = setTimeout(() => {
      setResults((now) => Object.fromEntries(Object.entries(now).map(([pane, each]) => [pane, { ...each, fresh: false }])));
      asking.current = asked;
      connection.current.ask("main", PANES, asked);
    }, DEBOUNCE);
    return () => clearTimeout(timer);
  }, [asked]);

  const live = LIVE.includes(state.tab) ? state.tab : null;
  const explored = live && JSON.stringify(live === "front" ? anyDesign(asked) : asked);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setTimeout(() => {
      setBusy((now) => ({ ...now, explore: true }));
      connection.current.ask("explore", [live], JSON.parse(explored));
    }, 4 * DEBOUNCE);
    return () => {
      clearTimeout(timer);
      connection.current.stop("explore");
    };
  }, [explored, live]);

  useEffect(() => {
    const timer = setTimeout(async () => history.replaceState(null, "", `#${await encoded(state)}`), 2 * DEBOUNCE);
    return () => clearTimeout(timer);
  }, [state]);

  useEffect(() => {
    const follow = async () => {
      const found = await decoded(location.hash.slice(1));
      if (!found) return;
      replaceText(editor.current, found.source);
      setState(found);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);

  const statements = results.kernel?.data?.statements ?? [];
  const hues = useMemo(() => Object.fromEntries(statements.map(({ name }, k) => [name, HUES[k % HUES.length]])), [results.kernel?.data]);
  useEffect(() => {
    const pairs = statements.filter(({ line }) => line).map(({ name, line }) => [line, name]).sort((a, b) => a[0] - b[0]);
    if (editor.current) showLinks(editor.current, problems.length ? [] : pairs, hues, lit);
  }, [hues, lit, problems]);
  useEffect(() => { if (editor.current) showProblems(editor.current, problems); }, [problems]);

  const say = (text) => { setNote(text); setTimeout(() => setNote(""), 4000); };
  const go = (line, column) => goTo(editor.current, line, column);
  const write = (pragma) => {
    replaceText(editor.current, withTiling(state.source, pragma));
    const { sizes, schedule, ...options } = state.options;
    change({ options });
  };
  const choose = (name) => {
    const [, , text] = EXAMPLES.find(([key]) => key === name);
    setResults({});
    setState((now) => ({ ...fresh(text), tab: now.tab, language: now.language, memory: now.memory }));
    replaceText(editor.current, text);
  };
  const share = async () => {
    const link = `${location.origin}${location.pathname}#${await encoded(state)}`;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      say("Link copied: it holds the kernel and all choices.");
    } catch {
      say("The address of this page holds the kernel and all choices.");
    }
  };
  const tiling = results.tiling?.data;
  const tabs = TABS.filter(([key]) => key !== "run" || settings.allow_run);
  return (
    <>
      <header>
        <h1><img src="icon.svg" alt="" width="26" height="26" />Loadstone <span>explorer</span></h1>
        <label class="example">example
          <select value={EXAMPLES.find(([, , text]) => text === state.source)?.[0] ?? ""} aria-label="Example" onChange={(event) => choose(event.target.value)}>
            <option value="" disabled>choose …</option>
            {EXAMPLES.map(([key, title]) => <option value={key}>{key} – {title}</option>)}
          </select>
        </label>
        <span class="grow" />
        <span class="status" role="status">{note || (online ? (busy.main ? "working …" : "") : "no connection to the server")}</span>
        <button type="button" onClick={share}>Copy link</button>
        <Downloads state={state} results={results} kernel={results.kernel?.data?.kernel ?? "kernel"} say={say} />
        <label class="theme"><span class="hidden">Theme</span>
          <select value={theme} aria-label="Theme" onChange={(event) => setTheme(event.target.value)}>
            <option value="auto">auto</option><option value="light">light</option><option value="dark">dark</option>
          </select>
        </label>
      </header>
      <main style={{ "--split": `${split}%` }} data-busy={busy.main ? "true" : "false"} data-kernel={results.kernel?.fresh ? results.kernel.data?.kernel : ""}>
        <section class="left" aria-label="Kernel">
          <Editor start={start.source} editor={editor} onChange={(source) => change({ source })} onLight={setLit} />
          {problems.length > 0 && <div class="found" role="alert"><Problems problems={problems} onGo={go} /></div>}
        </section>
        <Splitter value={Number(split)} onChange={(value) => setSplit(String(value))} />
        <section class="right" aria-label="Results">
          <Controls state={state} tiling={tiling} current={results.tiling?.fresh && !results.tiling.problems && asking.current === asked} memories={settings.memories} onChange={change} onWrite={write} />
          <Figures results={results} />
          <Tabs tabs={tabs} tab={state.tab} results={results} onChoose={(tab) => change({ tab })} />
          <Pane state={state} results={results} problems={problems} busy={live ? busy.explore : busy[state.tab]} hues={hues} lit={lit} onLight={setLit} onGo={go} onUse={write} onChoose={(options) => change({ options: { ...state.options, ...options } })} change={change}
            onStrip={(position) => connection.current.ask("strip", ["tiles"], { ...asked, position })}
            onRun={() => { setBusy((now) => ({ ...now, run: true })); connection.current.ask("run", ["run"], asked); }} />
        </section>
      </main>
    </>
  );
}

function Editor({ start, editor, onChange, onLight }) {
  const host = useRef(null);
  useEffect(() => {
    editor.current = kernelEditor(host.current, start, onChange, onLight);
    return () => editor.current.destroy();
  }, []);
  return <div class="editor" ref={host} />;
}

function Splitter({ value, onChange }) {
  const clamp = (part) => Math.min(75, Math.max(20, Math.round(part)));
  const drag = (event) => {
    event.target.setPointerCapture(event.pointerId);
    event.target.onpointermove = ({ clientX }) => onChange(clamp((100 * clientX) / innerWidth));
    event.target.onpointerup = () => { event.target.onpointermove = null; };
  };
  const keys = { ArrowLeft: -2, ArrowRight: 2 };
  return <div class="splitter" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the editor" aria-valuenow={value} aria-valuemin="20" aria-valuemax="75"
    onPointerDown={drag} onKeyDown={(event) => keys[event.key] && onChange(clamp(value + keys[event.key]))} />;
}

function Figures({ results }) {
  const traffic = results.traffic?.data, timeline = results.timeline?.data;
  const own = traffic?.ways[0];
  const words = own && own.load + own.store;
  const needed = traffic && Math.max(traffic.bound ?? 0, traffic.compulsory, 1);
  const stale = (pane) => (results[pane]?.fresh ? "" : "stale");
  return (
    <dl class="figures" aria-label="Figures">
      <div class={stale("traffic")}><dt>words moved</dt><dd>{number(words)}</dd></div>
      <div class={stale("traffic")}><dt>over what is needed</dt><dd>{own ? `× ${(words / needed).toFixed(2)}` : "–"}</dd></div>
      <div class={stale("traffic")}><dt>local cells</dt><dd>{number(traffic?.cells)}</dd></div>
      <div class={stale("timeline")}><dt>cycles</dt><dd>{number(timeline?.cycles)}</dd></div>
      <div class={stale("timeline")}><dt>cycles per instance</dt><dd>{timeline ? (timeline.cycles / Math.max(1, timeline.instances)).toFixed(2) : "–"}</dd></div>
    </dl>
  );
}

function condition(results, key, language) {
  const each = results[key === "code" ? language : key];
  return !each ? "none" : each.problems ? "bad" : each.fresh ? "done" : "stale";
}

function Tabs({ tabs, tab, results, onChoose }) {
  const list = useRef(null);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex(([key]) => key === tab);
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step ? (at + step + tabs.length) % tabs.length : null;
    if (to === null) return;
    event.preventDefault();
    onChoose(tabs[to][0]);
    list.current.children[to].focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panes" ref={list} onKeyDown={move}>
      {tabs.map(([key, title]) => (
        <button type="button" role="tab" id={`tab-${key}`} aria-controls="pane" aria-selected={key === tab} tabindex={key === tab ? 0 : -1} data-condition={condition(results, key, "c")} onClick={() => onChoose(key)}>{title}</button>
      ))}
    </div>
  );
}

function Pane({ state, results, problems, busy, hues, lit, onLight, onGo, onUse, onChoose, onRun, onStrip, change }) {
  const [, , Content] = TABS.find(([key]) => key === state.tab) ?? TABS[3];
  const key = state.tab === "code" ? state.language : state.tab;
  const each = results[key];
  const shown = each?.problems ? <div class="found"><Problems problems={each.problems} onGo={onGo} /></div> : null;
  const stale = each && !each.fresh && !LIVE.includes(state.tab) && state.tab !== "run";
  const body = state.tab === "code" ? (
    <CodePane data={each?.data} language={state.language} onLanguage={(language) => change({ language })} hues={hues} lit={lit} onLight={onLight} problems={shown} />
  ) : state.tab === "run" ? (
    <><RunPane data={each?.data} onRun={onRun} />{shown}</>
  ) : (
    <>
      {shown}
      {each?.data ? <Content data={each.data} tiling={results.tiling?.data} busy={busy} onGo={onGo} onUse={onUse} onChoose={onChoose} onStrip={onStrip} /> : !shown && <p class="soft waiting">{problems.length ? "Waiting for a kernel without errors." : "Working …"}</p>}
    </>
  );
  return (
    <div id="pane" role="tabpanel" aria-labelledby={`tab-${state.tab}`} aria-busy={stale ? "true" : "false"} class={`${state.tab} ${stale ? "stale" : ""}`} tabindex="-1" data-fresh={each?.fresh ? "true" : "false"}>
      {body}
    </div>
  );
}

const settings = await (await fetch("settings.json")).json();
const start = (await decoded(location.hash.slice(1))) ?? initial(settings);
const root = document.createElement("div");
root.id = "explorer";
document.body.append(root);
render(<App settings={settings} start={start} />, root);
