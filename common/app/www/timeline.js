"use strict";

// One strip: the name of a server, a time axis with the visitor's guess, a bar for each client, and
// the result in words and numbers.

(function (stagecraft) {

  const AXES_S = [5, 10, 20, 30, 60];
  const GUESS_STEP_S = 0.1;
  const THREAD_COLOURS = 8;

  // make("p", { className: "idea" }, "text", child, ...)
  function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name.includes("-") || name === "for") element.setAttribute(name, value);
      else element[name] = value;
    }
    element.append(...children);
    return element;
  }

  const inReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  // The shortest of the axes on which this fits.
  const axisFor = (ms) => 1000 * (AXES_S.find((axis) => axis * 1000 >= ms) || AXES_S.at(-1));

  class Strip {
    constructor(name, number) {
      this.name = name;
      this.number = number;
      this.company = [this];  // the strips that are to be compared: they share one axis
      this.guessed = false;
      this.run = null;
      this.build();
      this.setAxis(axisFor(0));
      this.drawRows();
    }

    build() {
      const id = `guess-${this.number}`;
      this.slider = make("input", {
        type: "range", id, className: "guess", min: 0, max: AXES_S[0], step: GUESS_STEP_S, value: 0,
      });
      this.slider.addEventListener("input", () => this.guessMoved());
      this.flag = make("output", { className: "flag", for: id });
      this.rows = make("ol", { className: "rows" });
      this.overlay = make("div", { className: "overlay", "aria-hidden": "true" });
      this.ticks = make("div", { className: "ticks", "aria-hidden": "true" });
      this.result = make("p", { className: "result" });
      this.reading = make("p", { className: "said" });
      this.numbers = make("div", { className: "numbers", tabIndex: 0 });
      this.table = make("details", { hidden: true },
        make("summary", {}, "The same in numbers"), this.numbers);
      this.element = make("section", { className: "strip", "data-strip": this.name },
        make("header", {},
          make("h2", {}, this.name),
          make("p", { className: "idea" }, stagecraft.ideaOf(this.name))),
        make("div", { className: "plot" },
          make("label", { for: id, className: "guess-label" }, "Your guess"),
          make("div", { className: "guess-track" }, this.slider, this.flag),
          make("div", { className: "lanes" }, this.overlay, this.rows),
          this.ticks),
        make("div", { className: "outcome", role: "status" }, this.result, this.reading),
        this.table);
      this.flag.value = this.number === 1 ? "drag me to the last answer" : "?";
      this.reading.textContent = "Where will the last bar end?";
    }

    // The guess in milliseconds, or null if the visitor has not made one.
    get guessMs() {
      return this.guessed ? Math.round(this.slider.valueAsNumber * 1000) : null;
    }

    guessMoved() {
      this.guessed = true;
      const guess = stagecraft.seconds(this.slider.valueAsNumber * 1000);
      this.flag.value = `last answer at ${guess}`;
      this.slider.setAttribute("aria-valuetext", `the last answer comes after ${guess}`);
      this.placeGuess();
    }

    placeGuess() {
      const ms = this.slider.valueAsNumber * 1000;
      this.element.style.setProperty("--place", ms / this.axisMs);
      // The ghost stands where the flag stood. While the flag is there still, one line is enough.
      this.element.dataset.haunted = this.run !== null && this.guessMs === this.run.guessMs;
    }

    // A run is about to begin: what is in the way goes, the guess becomes a ghost.
    prepare(question, text) {
      this.run = { stage: this.name, question, guessMs: this.guessMs, probes: [] };
      this.setAxis(axisFor(Math.max(...this.company.map((strip) => strip.guessMs))));
      this.say(text, "");
      this.element.dataset.state = "waiting";
      this.table.hidden = true;
      this.drawRows();
    }

    // The requests have been made, or another answer is there.
    show(probes) {
      if (this.element.dataset.state !== "running") {
        this.element.dataset.state = "running";
        this.beganAt = performance.now();
        this.watch = setInterval(() => this.growAxis(), 100);
        this.say("The six requests are on their way.", "");
      }
      this.run.probes = probes;
      this.drawRows();
    }

    finish() {
      const failed = this.run.probes.some((probe) => probe.problem);
      this.stopWatching(failed ? "failed" : "done");
      this.fitAxis(stagecraft.latestMs(this.run.probes));
      this.drawRows();
      this.drawNumbers();
      this.say(stagecraft.result(this.run), stagecraft.reading(this.run));
    }

    fail(text) {
      this.stopWatching("failed");
      this.run.probes = [];
      this.drawRows();
      this.say("No result.", text);
    }

    stopWatching(state) {
      clearInterval(this.watch);
      this.element.dataset.state = state;
    }

    say(result, reading) {
      this.result.textContent = result;
      this.reading.textContent = reading;
    }

    growAxis() {
      const elapsedMs = performance.now() - this.beganAt;
      if (elapsedMs > this.axisMs) this.fitAxis(elapsedMs * 1.1);
    }

    // A longer axis, if this does not fit: for all, or a bar here would be as long as one there and
    // mean another time.
    fitAxis(longestMs) {
      const fittingMs = axisFor(longestMs);
      for (const strip of this.company.filter(({ axisMs }) => axisMs < fittingMs)) {
        strip.setAxis(fittingMs);
        strip.drawRows();
      }
    }

    setAxis(ms) {
      this.axisMs = ms;
      this.slider.max = ms / 1000;
      this.placeGuess();
      this.drawAxis();
    }

    // A moment as a place on the axis.
    at(ms) {
      return `${100 * Math.min(1, Math.max(0, ms / this.axisMs))}%`;
    }

    drawAxis() {
      const stepMs = this.axisMs / 5;
      const moments = Array.from({ length: 6 }, (_, index) => index * stepMs);
      this.ticks.replaceChildren(...moments.map((ms) => {
        const tick = make("span", { className: "tick" }, `${ms / 1000} s`);
        tick.style.left = this.at(ms);
        return tick;
      }));
      this.lines = moments.map((ms) => {
        const line = make("i", { className: "gridline" });
        line.style.left = this.at(ms);
        return line;
      });
      this.drawMarks();
    }

    // The lines across all rows: the grid, the flag's pole, the ghost of the guess.
    drawMarks() {
      const marks = [...this.lines, make("i", { className: "pole" })];
      if (this.run && this.run.guessMs !== null) {
        const words = make("span", {}, `you guessed ${stagecraft.seconds(this.run.guessMs)}`);
        const ghost = make("i", { className: "ghost", "data-guess-ms": this.run.guessMs }, words);
        ghost.style.left = this.at(this.run.guessMs);
        ghost.style.setProperty("--place", this.run.guessMs / this.axisMs);
        marks.push(ghost);
      }
      this.overlay.replaceChildren(...marks);
    }

    drawRows() {
      const probes = this.run && this.run.probes.length > 0
        ? this.run.probes
        : Array.from({ length: stagecraft.CLIENTS }, (_, index) => ({ probe: index + 1 }));
      const rows = probes.map((probe) => this.row(probe));
      if (this.run && this.run.question.silent && probes === this.run.probes) {
        rows.unshift(this.silentRow());
      }
      this.rows.replaceChildren(...rows);
    }

    row(probe) {
      const isAnswered = probe.endedMs !== undefined;
      const track = make("div", { className: "track", "aria-hidden": "true" });
      const problem = probe.problem ? "no answer" : "";
      const about = isAnswered ? `connection ${probe.connection}` : problem;
      const row = make("li", { className: "row", "data-probe": probe.probe },
        make("p", { className: "who" },
          make("span", { className: "client" }, `client ${probe.probe}`), " ",
          make("span", { className: "connection" }, about)),
        track);
      if (isAnswered) {
        Object.assign(row.dataset, {
          connection: probe.connection, thread: probe.thread,
          enteredMs: probe.enteredMs, leftMs: probe.leftMs,
        });
        this.colour(row, probe.thread);
        track.append(...this.bar(probe));
        row.append(make("span", { className: "aside" }, this.aside(probe)));
      } else if (probe.startedMs !== undefined && !probe.problem) {
        track.append(this.growingBar());
      }
      return row;
    }

    // The three tones, the moment of accepting, and what the thread did afterwards.
    bar(probe) {
      const parts = [];
      const part = (className, fromMs, toMs, ...children) => {
        const piece = make("span", { className: `piece ${className}` }, ...children);
        piece.style.left = this.at(fromMs);
        piece.style.width = `calc(${this.at(toMs)} - ${this.at(fromMs)})`;
        parts.push(piece);
      };
      part("browser", probe.startedMs, probe.sentMs);
      part("server", probe.sentMs, probe.enteredMs);
      const isPromised = stagecraft.isPromised(probe, this.run);
      part(isPromised ? "served promised" : "served", probe.enteredMs, probe.leftMs,
        make("span", { className: "long" }, `thread ${probe.thread}`),
        make("span", { className: "short" }, String(probe.thread)));
      let endMs = probe.endedMs;
      const heldMs = this.run.question.keepAlive
        ? stagecraft.heldUntilMs(probe, this.run.probes) : undefined;
      if (heldMs !== undefined) {
        part("held", probe.leftMs, heldMs);
        endMs = heldMs;
      }
      if (probe.acceptedMs > probe.sentMs) {
        const accepted = make("i", { className: "accepted" });
        accepted.style.left = this.at(probe.acceptedMs);
        parts.push(accepted);
      }
      const after = make("span", { className: "after" }, stagecraft.seconds(probe.endedMs));
      after.style.left = this.at(endMs);
      if (endMs > 0.88 * this.axisMs) {
        after.classList.add("before");
        after.style.left = this.at(probe.enteredMs);
      }
      parts.push(after);
      return parts;
    }

    // Nothing is known of this client yet but that it waits. The bar grows with the time.
    growingBar() {
      const growing = make("span", { className: "piece growing" });
      if (!inReducedMotion()) {
        growing.style.animationDuration = `${this.axisMs}ms`;
        growing.style.animationDelay = `${this.beganAt - performance.now()}ms`;
      }
      return growing;
    }

    // The client that says nothing. Where it is known which thread stayed with it, and until when,
    // that is shown; otherwise just how long the connection may have been open.
    silentRow() {
      const { thread, untilMs } = stagecraft.silentHold(this.run.probes);
      const line = make("span", { className: `piece ${thread ? "held" : "silent"}` });
      line.style.left = "0";
      line.style.width = this.at(untilMs || stagecraft.SILENT_MS);
      if (thread) line.title = `thread ${thread} listens to it`;
      const row = make("li", { className: "row" },
        make("p", { className: "who" },
          make("span", { className: "client" }, "client 0"), " ",
          make("span", { className: "connection" }, "says nothing")),
        make("div", { className: "track", "aria-hidden": "true" }, line));
      if (thread) this.colour(row, thread);
      return row;
    }

    colour(row, thread) {
      const number = (thread - 1) % THREAD_COLOURS + 1;
      row.style.setProperty("--thread", `var(--thread-${number})`);
      row.style.setProperty("--on-thread", `var(--on-thread-${number})`);
    }

    // A row for those who cannot see the bar.
    aside(probe) {
      const { seconds } = stagecraft;
      return `Thread ${probe.thread}. Waited ${seconds(probe.sentMs - probe.startedMs)} in the ` +
        `browser and ${seconds(probe.enteredMs - probe.sentMs)} in the server, was served for ` +
        `${seconds(probe.leftMs - probe.enteredMs)}, had the answer after ` +
        `${seconds(probe.endedMs)}.`;
    }

    drawNumbers() {
      const heads = ["client", "connection", "thread", "waiting in the browser",
        "waiting in the server", "being served", "answer after"];
      const length = (from, to) => (to === undefined ? "–" : Math.max(0, to - from).toFixed(1));
      const cells = (probe) => [
        probe.probe, probe.connection ?? "–", probe.thread ?? "–",
        length(probe.startedMs, probe.sentMs), length(probe.sentMs, probe.enteredMs),
        length(probe.enteredMs, probe.leftMs), length(0, probe.endedMs),
      ];
      const head = heads.map((text) => make("th", { scope: "col" }, text));
      const lines = this.run.probes.map((probe) =>
        make("tr", {}, ...cells(probe).map((cell) => make("td", {}, String(cell)))));
      this.numbers.replaceChildren(make("table", {},
        make("caption", {}, "Lengths of time in milliseconds"),
        make("thead", {}, make("tr", {}, ...head)),
        make("tbody", {}, ...lines)));
      this.table.hidden = false;
    }
  }

  Object.assign(stagecraft, { Strip, make });
})(window.stagecraft);
