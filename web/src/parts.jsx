// Small parts that panes share.
export const number = (value) => (value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en-US").replaceAll(",", " "));

export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

// A set or a map of isl: a line for each piece, names of tuples in front.
export function Isl({ text }) {
  if (text === null || text === undefined) return <span class="soft">no small closed form</span>;
  const pieces = text.replaceAll("; ", ";\n").replaceAll(" : ", "\n    : ");
  return <code class="isl">{pieces.length > 4000 ? `${pieces.slice(0, 4000)} …` : pieces}</code>;
}

export function Table({ label, columns, rows }) {
  return (
    <div class="scroll" tabindex="0" role="region" aria-label={label}>
      <table>
        <thead>
          <tr>{columns.map((name) => <th scope="col" class={name.startsWith(">") ? "number" : ""}>{name.replace(/^>/, "")}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{row.map((cell, k) => k === 0 ? <th scope="row">{cell}</th> : <td class={columns[k].startsWith(">") ? "number" : ""}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Card({ title, aside, children }) {
  return (
    <section class="card">
      {title && <h3>{title}{aside && <small>{aside}</small>}</h3>}
      {children}
    </section>
  );
}

export function Bar({ parts, most, label }) {
  return (
    <div class="bar" role="img" aria-label={label}>
      {parts.map(([kind, value]) => value > 0 && <i class={kind} style={{ width: `${(100 * value) / Math.max(1, most)}%` }} />)}
    </div>
  );
}

export function Problems({ problems, onGo }) {
  return (
    <ul class="problems">
      {problems.map(({ message, hint, line, column }) => (
        <li>
          {line ? <button type="button" class="link" onClick={() => onGo?.(line, column ?? 1)}>line {line}</button> : null}
          <span class="message">{message}</span>
          {hint ? <span class="hint">{hint}</span> : null}
        </li>
      ))}
    </ul>
  );
}
