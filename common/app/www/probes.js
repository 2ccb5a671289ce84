"use strict";

// The six clients: what they ask of a server, and when everything happened.
//
// All times of a run are in milliseconds since the moment at which the six requests were made.

window.stagecraft = {};

(function (stagecraft) {

  // A browser opens at most six connections to one host. A seventh probe would wait for one of the
  // six, and the picture would show the browser's rule instead of the server's.
  const CLIENTS = 6;
  const WORK_MS = 500;
  const SILENT_MS = 3000;

  // The silent client comes so much earlier than the six. Otherwise the idle timer of one second
  // could end in the same moment as the second half second of work, and nobody would see which
  // thread it has held.
  const HEAD_START_MS = 40;

  const PATIENCE_MS = 30000;

  const pause = (ms) => new Promise((resume) => setTimeout(resume, ms));

  // The browser's own notes about one request. They may come a moment after the answer.
  async function timingOf(url) {
    for (let attempt = 0; attempt < 10; ++attempt) {
      const entry = performance.getEntriesByName(url, "resource").pop();
      if (entry) return entry;
      await pause(10);
    }
    return null;
  }

  // The server's clock and the browser's are the same clock when both run on one machine. If they
  // are not, some answer was made before it was asked for, or after it had come; this is the
  // smallest correction that puts every answer between its request and its arrival.
  function clockCorrectionMs(sightings) {
    let least = -Infinity;
    let most = Infinity;
    for (const { sentMs, endedMs, answer } of sightings) {
      least = Math.max(least, pageTimeMs(answer.left_us) - endedMs);
      most = Math.min(most, pageTimeMs(answer.entered_us) - sentMs);
    }
    if (least > most) return (least + most) / 2;
    return Math.min(Math.max(0, least), most);
  }

  // Microseconds since 1970 as milliseconds since this page was opened.
  function pageTimeMs(unixUs) {
    return unixUs / 1000 - performance.timeOrigin;
  }

  // Puts what was seen on one time axis. A client without an answer has its start and a problem.
  function onOneAxis(sightings, originMs) {
    const answered = sightings.filter((sighting) => sighting.answer);
    const correctionMs = clockCorrectionMs(answered);
    return sightings.map(({ probe, startedMs, sentMs, endedMs, answer, problem }) => {
      const seen = { probe, startedMs: startedMs - originMs };
      if (!answer) return { ...seen, problem };
      const serverMs = (unixUs) => pageTimeMs(unixUs) - correctionMs - originMs;
      return {
        ...seen,
        connection: answer.connection,
        thread: answer.thread,
        sentMs: sentMs - originMs,
        acceptedMs: serverMs(answer.accepted_us),
        enteredMs: serverMs(answer.entered_us),
        leftMs: serverMs(answer.left_us),
        endedMs: endedMs - originMs,
      };
    });
  }

  function inWords(error, signal) {
    if (signal.aborted) return String(signal.reason);
    if (error instanceof TypeError) return "the connection failed";
    return error.message;
  }

  // One server, reached through its address, for example "http://127.0.0.1:8080".
  class LiveServer {
    constructor(base, name) {
      this.base = base;
      this.name = name;
    }

    // The name that the server gives itself.
    async introduce() {
      const { stage } = await this.ask("/whoami?close=1");
      return stage;
    }

    async ask(target, signal) {
      const response = await fetch(this.base + target, { cache: "no-store", signal });
      if (!response.ok) throw new Error(`the server refused with status ${response.status}`);
      return response.json();
    }

    // Sends the six requests. `report(probes)` is called when they have been made and after each
    // answer. Returns all of them, answered or not; throws if the server cannot be reached at all.
    async run(question, signal, report) {
      const nonce = Date.now().toString(36);
      performance.clearResourceTimings();
      // One request ahead. Its answer shows that the server has nobody before us, and the closed
      // connection that the browser starts afresh. A page cannot open a connection and say nothing
      // on it, so the server is asked to do that to itself.
      const ahead = question.silent ? `/silent?ms=${SILENT_MS}&close=1` : "/whoami?close=1";
      await this.ask(`${ahead}&run=${nonce}`, signal);
      if (question.silent) await pause(HEAD_START_MS);

      const originMs = performance.now();
      const sightings = [];
      const probes = Array.from({ length: CLIENTS }, (_, index) => {
        const sighting = { probe: index + 1, startedMs: originMs };
        sightings.push(sighting);
        return this.probe(question, nonce, signal, sighting)
          .then(() => report(onOneAxis(sightings, originMs)));
      });
      report(onOneAxis(sightings, originMs));
      await Promise.all(probes);
      return onOneAxis(sightings, originMs);
    }

    // One client. Every client has a URL of its own: browsers hold equal requests back, in the hope
    // that one answer will do for all.
    async probe(question, nonce, signal, sighting) {
      const close = question.keepAlive ? "" : "&close=1";
      const own = `&probe=${sighting.probe}&run=${nonce}`;
      const target = `/${question.handler}?ms=${WORK_MS}${close}${own}`;
      sighting.startedMs = performance.now();
      try {
        const answer = await this.ask(target, signal);
        const arrivedMs = performance.now();
        const timing = await timingOf(this.base + target);
        sighting.sentMs = timing?.requestStart || sighting.startedMs;
        sighting.endedMs = timing?.responseEnd || arrivedMs;
        sighting.answer = answer;
      } catch (error) {
        sighting.problem = inWords(error, signal);
      }
    }
  }

  Object.assign(stagecraft, { CLIENTS, SILENT_MS, PATIENCE_MS, LiveServer });
})(window.stagecraft);
