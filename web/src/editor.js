// Editors: the kernel on the left, generated sources on the right; lines of both are tied by statements.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, snippetCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { verilog } from "@codemirror/legacy-modes/mode/verilog";
import { vhdl } from "@codemirror/legacy-modes/mode/vhdl";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.controlKeyword, t.operatorKeyword, t.definitionKeyword], color: "var(--syn-keyword)" },
  { tag: [t.typeName, t.standard(t.typeName)], color: "var(--syn-type)" },
  { tag: [t.number, t.bool, t.atom], color: "var(--syn-number)" },
  { tag: [t.string, t.character], color: "var(--syn-string)" },
  { tag: [t.comment, t.lineComment, t.blockComment], color: "var(--syn-comment)", fontStyle: "italic" },
  { tag: [t.processingInstruction, t.meta], color: "var(--syn-meta)" },
  { tag: [t.function(t.variableName), t.function(t.definition(t.variableName))], color: "var(--syn-function)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", backgroundColor: "var(--card)", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--accent)", padding: "10px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-matchingBracket": { backgroundColor: "var(--selection)" },
  ".cm-selectionMatch": { backgroundColor: "var(--plane)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.75", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "6px 10px", maxWidth: "60ch", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-panels": { backgroundColor: "var(--plane)", color: "var(--ink)" },
  ".cm-statement": { boxShadow: "inset 3px 0 0 oklch(var(--even) 0.125 var(--hue))", backgroundColor: "oklch(var(--even) 0.125 var(--hue) / 0.09)" },
  ".cm-statement.cm-lit": { backgroundColor: "oklch(var(--even) 0.125 var(--hue) / 0.28)" },
});

const setLinks = StateEffect.define();
const links = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setLinks)) return lineMarks(transaction.state.doc, effect.value);
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Marks for lines: [line, statement] pairs, the hue of each statement, and the statement that is lit.
function lineMarks(doc, { pairs, hues, lit }) {
  const builder = new RangeSetBuilder();
  for (const [line, statement] of pairs) {
    if (line < 1 || line > doc.lines || hues[statement] === undefined) continue;
    const shown = statement === lit ? "cm-statement cm-lit" : "cm-statement";
    const place = doc.line(line).from;
    builder.add(place, place, Decoration.line({ class: shown, attributes: { style: `--hue:${hues[statement]}`, "data-statement": statement } }));
  }
  return builder.finish();
}

const PRAGMAS = [
  snippetCompletion("#pragma scop\n${}\n#pragma endscop", { label: "#pragma scop", detail: "the kernel, up to endscop" }),
  { label: "#pragma endscop", detail: "end of the kernel" },
  snippetCompletion("#pragma loadstone tile size(${8, 8})", { label: "#pragma loadstone tile size", detail: "sizes of tiles" }),
  snippetCompletion("#pragma loadstone tile schedule(${S0: i, j}) size(${8, 8}) strip(${1})", { label: "#pragma loadstone tile schedule", detail: "order, sizes, strip" }),
  snippetCompletion("#pragma loadstone default(${n = 40})", { label: "#pragma loadstone default", detail: "values of parameters" }),
  snippetCompletion("#pragma loadstone assume(${n >= 1})", { label: "#pragma loadstone assume", detail: "what is known of parameters" }),
  snippetCompletion("#pragma loadstone kill(${work})", { label: "#pragma loadstone kill", detail: "values that nobody reads afterwards" }),
  snippetCompletion("#pragma loadstone fixed type(${sample}) bits(${16}) fraction(${8})", { label: "#pragma loadstone fixed", detail: "fixed point" }),
  snippetCompletion("#pragma loadstone integer type(${sample}) bits(${12})", { label: "#pragma loadstone integer", detail: "integers of any width" }),
  snippetCompletion("#pragma HLS UNROLL factor=${4}", { label: "#pragma HLS UNROLL", detail: "lanes" }),
  snippetCompletion("#pragma HLS PIPELINE II=${1}", { label: "#pragma HLS PIPELINE", detail: "initiation interval" }),
];

function completePragma(context) {
  const typed = context.matchBefore(/^\s*#[\w ]*/);
  if (!typed) return null;
  const from = typed.from + typed.text.indexOf("#");
  return { from, options: PRAGMAS, validFor: /^#[\w ]*$/ };
}

const named = (label) => EditorView.contentAttributes.of({ "aria-label": label });

export function kernelEditor(parent, text, onChange, onStatement) {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), lintGutter(),
        highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
        cpp(), syntaxHighlighting(colours), look, links, named("Kernel in C"),
        autocompletion({ override: [completePragma] }),
        EditorState.tabSize.of(2),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
        statementEvents(onStatement),
      ],
    }),
  });
}

const LANGUAGES = { c: cpp(), hls: cpp(), verilog: StreamLanguage.define(verilog), vhdl: StreamLanguage.define(vhdl) };

export class SourceView {
  constructor(parent, onStatement) {
    this.language = new Compartment();
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(), drawSelection(), highlightSelectionMatches(), syntaxHighlighting(colours), look, links,
          named("Generated source"), EditorState.readOnly.of(true), EditorView.editable.of(false),
          EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true" }),
          this.language.of([]), keymap.of([...defaultKeymap, ...searchKeymap]), statementEvents(onStatement),
        ],
      }),
    });
  }

  show(text, language) {
    if (this.view.state.doc.toString() !== text) {
      const top = this.view.scrollDOM.scrollTop;
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
      this.view.scrollDOM.scrollTop = top;
    }
    this.view.dispatch({ effects: this.language.reconfigure(LANGUAGES[language] ?? []) });
  }

  reveal(line) {
    const at = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    this.view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
  }
}

// Tells which statement the pointer or the cursor is at.
function statementEvents(onStatement) {
  const at = (target) => target instanceof Element ? target.closest("[data-statement]")?.getAttribute("data-statement") ?? null : null;
  return EditorView.domEventHandlers({
    mousemove: (event) => void onStatement(at(event.target)),
    mouseleave: () => void onStatement(null),
    keyup: (_, view) => {
      const line = view.domAtPos(view.state.doc.lineAt(view.state.selection.main.head).from).node;
      onStatement(at(line instanceof Element ? line : line.parentElement));
    },
  });
}

export function showLinks(view, pairs, hues, lit) {
  view.dispatch({ effects: setLinks.of({ pairs, hues, lit }) });
}

export function showProblems(view, problems) {
  const { doc } = view.state;
  const found = problems.map(({ message, line, column, hint }) => {
    const at = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
    const from = Math.min(at.from + Math.max((column ?? 1) - 1, 0), at.to);
    const word = /^\w+/.exec(doc.sliceString(from, at.to));
    const to = Math.max(from, Math.min(at.to, from + (word ? word[0].length : 1)));
    return { from: from === to ? at.from : from, to, severity: "error", message: hint ? `${message}\nHint: ${hint}` : message };
  });
  view.dispatch(setDiagnostics(view.state, found));
}

export function goTo(view, line, column = 1) {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({ selection: { anchor: Math.min(at.from + column - 1, at.to) }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
  view.focus();
}

export function replaceText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

// The text with a pragma for its tiling: in place of the one that is there, or before the kernel.
export function withTiling(text, pragma) {
  const present = /^[ \t]*#pragma loadstone tile .*$/m;
  if (present.test(text)) return text.replace(present, pragma);
  const start = /^[ \t]*(#pragma scop\b|for\s*\()/m.exec(text);
  return start ? `${text.slice(0, start.index)}${pragma}\n${text.slice(start.index)}` : `${pragma}\n${text}`;
}
