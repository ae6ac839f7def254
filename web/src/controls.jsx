// What can be chosen: values of parameters, sizes of tiles, and how the accelerator is made.
const PLACES = [
  ["strip", "Strip", "innermost tile loops that form a strip"],
  ["depth", "Tiles in flight", "2 is double buffering"],
  ["local", "Local words", "for automatic tiles: words, or 64KiB"],
  ["unroll", "Lanes", "instances of a parallel loop computed at once"],
];
const SELECTS = [
  ["strips", "Strips", ["", "overlap", "drain"]],
  ["objective", "Auto minimises", ["", "words", "cycles"]],
  ["bus", "Bus", ["", "axi", "avalon"]],
  ["bus_width", "Bus width", ["", "32", "64", "128", "256", "512"]],
];

export function Controls({ state, tiling, current, memories, onChange, onWrite }) {
  const option = (name, value) => {
    const options = { ...state.options };
    if (value === "" || value === false) delete options[name];
    else options[name] = value;
    onChange({ options });
  };
  return (
    <section class="controls" aria-label="Choices">
      <Sizes state={state} tiling={tiling} option={option} />
      <div class="row actions">
        <Parameters state={state} tiling={tiling} onChange={onChange} />
        {tiling?.pragma && state.options.sizes && <button type="button" disabled={!current} onClick={() => onWrite(tiling.pragma)} title={tiling.pragma}>Write into source</button>}
        {state.options.sizes && <button type="button" onClick={() => option("sizes", "")}>Reset sizes</button>}
        <label>memory
          <select value={state.memory} onChange={(event) => onChange({ memory: event.target.value })}>
            {memories.map((name) => <option>{name}</option>)}
          </select>
        </label>
        <details class="more">
          <summary>More choices</summary>
          <div class="grid">
            <label class="wide">Schedule <input type="text" value={state.options.schedule ?? ""} placeholder="auto, or { S0[i, j] -> [j, i] }" spellcheck={false} onChange={(event) => option("schedule", event.target.value.trim())} /></label>
            {PLACES.map(([name, label, hint]) => (
              <label title={hint}>{label} <input type="text" inputmode="numeric" value={state.options[name] ?? ""} placeholder="default" onChange={(event) => option(name, event.target.value.trim())} /></label>
            ))}
            {SELECTS.map(([name, label, choices]) => (
              <label>{label} <select value={state.options[name] ?? ""} onChange={(event) => option(name, event.target.value)}>{choices.map((choice) => <option value={choice}>{choice || "default"}</option>)}</select></label>
            ))}
            {[["free_reductions", "Reorder floating-point sums"], ["power_of_two", "Powers of two"]].map(([name, label]) => (
              <label class="check"><input type="checkbox" checked={state.options[name] === true} onChange={(event) => option(name, event.target.checked)} /> {label}</label>
            ))}
          </div>
        </details>
      </div>
    </section>
  );
}

function Parameters({ state, tiling, onChange }) {
  if (!tiling?.parameters.length) return null;
  return (
    <div class="row" role="group" aria-label="Parameters">
      {tiling.parameters.map((name) => (
        <label class="parameter"><code>{name}</code>
          <input type="number" min="1" step="1" value={state.parameters[name] ?? tiling.values[name]} aria-label={`Parameter ${name}`}
            onInput={(event) => event.target.value !== "" && onChange({ parameters: { ...state.parameters, [name]: Math.trunc(Number(event.target.value)) } })} />
        </label>
      ))}
    </div>
  );
}

function Sizes({ state, tiling, option }) {
  const auto = state.options.sizes === "auto";
  const found = tiling?.sizes ?? [];
  const chosen = auto || !state.options.sizes ? found : state.options.sizes.split(",").map(Number);
  const sizes = chosen.length === found.length ? chosen : found;
  const reach = Math.max(8, ...Object.values(tiling?.values ?? {}), ...sizes);
  const change = (position, value) => option("sizes", sizes.map((size, k) => (k === position ? Math.max(1, value) : size)).join(","));
  return (
    <div class="sizes" role="group" aria-label="Tile sizes">
      {sizes.map((size, k) => {
        const name = tiling?.labels?.[k] || tiling?.coordinates?.[k] || `T${k}`;
        return (
          <label class="size"><code>{name}</code>
            <input type="range" min="1" max={reach} value={size} aria-label={`Tile size of ${name}`} onInput={(event) => change(k, Number(event.target.value))} />
            <input type="number" min="1" step="1" value={size} aria-label={`Tile size of ${name} as a number`} onInput={(event) => event.target.value !== "" && change(k, Math.trunc(Number(event.target.value)))} />
          </label>
        );
      })}
      <button type="button" class="auto" aria-pressed={auto} onClick={() => option("sizes", auto ? "" : "auto")} title="The sizes that move the fewest words in the local memory">Auto</button>
    </div>
  );
}
