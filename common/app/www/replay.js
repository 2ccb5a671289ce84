"use strict";

// A recorded server: it has the interface of LiveServer and asks nobody. The recordings are in
// recorded.js, a script rather than JSON so that a page opened as a file may load it.

(function (stagecraft) {

  const home = document.currentScript.src;

  function loadRecordings() {
    return new Promise((loaded, failed) => {
      const script = document.createElement("script");
      script.src = new URL("recorded.js?close=1", home);
      script.onload = () => loaded(stagecraft.recordings);
      script.onerror = () => failed(new Error("the recordings could not be loaded"));
      document.head.append(script);
    });
  }

  class RecordedServer {
    constructor({ stage, runs }) {
      this.name = stage;
      this.runs = runs;
    }

    // Plays the run that was recorded for this question, in its own time.
    async run(question, signal, report) {
      const recorded = this.runs.find(({ question: asked }) =>
        asked.handler === question.handler && asked.silent === question.silent &&
        asked.keepAlive === question.keepAlive);
      if (!recorded) throw new Error("there is no recording of this");
      const probes = recorded.probes.map((line) => Object.fromEntries(
        stagecraft.recordedColumns.map((name, column) => [name, line[column]])));
      let shown = probes.map(({ probe, startedMs }) => ({ probe, startedMs }));
      report(shown);
      const beganMs = performance.now();
      for (const answered of probes.sort((a, b) => a.endedMs - b.endedMs)) {
        await this.until(beganMs + answered.endedMs, signal);
        shown = shown.map((probe) => (probe.probe === answered.probe ? answered : probe));
        report(shown);
      }
      return shown;
    }

    until(momentMs, signal) {
      return new Promise((reached, stopped) => {
        setTimeout(reached, momentMs - performance.now());
        const stop = () => stopped(new Error(String(signal.reason)));
        if (signal.aborted) stop();
        signal.addEventListener("abort", stop, { once: true });
      });
    }
  }

  Object.assign(stagecraft, { loadRecordings, RecordedServer });
})(window.stagecraft);
