(() => {
  const shown = document.getElementById("command");
  const marks = [...document.querySelectorAll("[data-design]")];
  const choose = (design) => {
    for (const mark of marks) mark.classList.toggle("chosen", mark.dataset.design === design);
    shown.textContent = document.querySelector(`tr[data-design="${design}"] code`).textContent;
  };
  for (const mark of marks)
    for (const event of ["pointerenter", "focus", "click"])
      mark.addEventListener(event, () => choose(mark.dataset.design));
  document.getElementById("copy").addEventListener("click", () => navigator.clipboard.writeText(shown.textContent));
  if (marks.length) choose("0");
})();
