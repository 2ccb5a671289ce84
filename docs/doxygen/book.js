// What the pages of the book do besides being read: a button that copies, a place to resume at, and
// drawings, code and contents that a keyboard reaches. Works from a file, without a server.
"use strict";

const RESUME = "stagecraft-resume";

function copyable(block) {
  // Without line numbers, which are no text, and without what a diff has taken away. Of a terminal:
  // what was typed.
  const terminal = block.classList.contains("terminal");
  const chosen = terminal ? ".typed b" : ".line:not(.removed) b";
  return Array.from(block.querySelectorAll(chosen), (line) => line.textContent).join("\n") + "\n";
}

function addCopyButton(block) {
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(copyable(block));
      button.textContent = "Copied";
    } catch {
      button.textContent = "No clipboard";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  block.append(button);
}

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null;  // not from a file, in some browsers
  }
}

function rememberPlace() {
  const name = location.pathname.split("/").pop();
  if (!name.startsWith("chapter-")) return;
  const title = document.title.split(": ").slice(1).join(": ");
  storage()?.setItem(RESUME, JSON.stringify({ name, title }));
}

function offerToResume() {
  const place = document.querySelector(".resume");
  const stored = storage()?.getItem(RESUME);
  if (!place || !stored) return;
  const { name, title } = JSON.parse(stored);
  const link = document.createElement("a");
  link.href = name;
  link.textContent = title || "where you were";
  place.append("Go on reading: ", link);
}

function addLandmarks() {
  const contents = document.getElementById("doc-content");
  if (!contents) return;
  contents.setAttribute("role", "main");
  document.getElementById("side-nav")?.setAttribute("role", "navigation");
  document.getElementById("side-nav")?.setAttribute("aria-label", "Contents");
  const skip = document.createElement("a");
  skip.className = "skip";
  skip.href = "#doc-content";
  skip.textContent = "Skip to the text";
  document.body.prepend(skip);
  contents.tabIndex = -1;
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".code").forEach(addCopyButton);
  rememberPlace();
  offerToResume();
  addLandmarks();
  if (typeof DoxygenAwesomeInteractiveToc !== "undefined") DoxygenAwesomeInteractiveToc.init();
});
if (typeof DoxygenAwesomeDarkModeToggle !== "undefined") DoxygenAwesomeDarkModeToggle.init();
