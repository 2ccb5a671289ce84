"use strict";

// What a run shows, in numbers and in sentences.

(function (stagecraft) {

  // A pause shorter than this is the machine's, not the server's way of working.
  const NOTABLE_MS = 100;

  const seconds = (ms) => `${(ms / 1000).toFixed(1)}\u00a0s`;
  const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;
  const answered = (probes) => probes.filter((probe) => probe.endedMs !== undefined);
  const byTurn = (one, other) => one.enteredMs - other.enteredMs;
  const threadsOf = (probes) => new Set(answered(probes).map((probe) => probe.thread));
  const latestMs = (probes) => Math.max(0, ...answered(probes).map((probe) => probe.endedMs));

  // How many clients were being served at once, at most.
  function mostAtOnce(probes) {
    const served = answered(probes);
    return Math.max(0, ...served.map(({ enteredMs }) =>
      served.filter((other) => other.enteredMs <= enteredMs && enteredMs < other.leftMs).length));
  }

  // The longest time for which clients waited and none was being served.
  function longestGap(probes) {
    let gap = { fromMs: 0, lengthMs: 0 };
    let busyUntilMs = 0;
    for (const { enteredMs, leftMs } of answered(probes).sort(byTurn)) {
      const lengthMs = enteredMs - busyUntilMs;
      if (lengthMs > gap.lengthMs) gap = { fromMs: busyUntilMs, lengthMs };
      busyUntilMs = Math.max(busyUntilMs, leftMs);
    }
    return gap;
  }

  // Until when a thread stayed with a client that it had answered already: until it accepted its
  // next connection. Undefined if it took up no other, or at once.
  function heldUntilMs(probe, probes) {
    const later = answered(probes)
      .filter((other) => other.thread === probe.thread && other.enteredMs >= probe.leftMs)
      .sort(byTurn)[0];
    if (!later || later.connection === probe.connection) return undefined;
    return later.acceptedMs - probe.leftMs > NOTABLE_MS ? later.acceptedMs : undefined;
  }

  // Which thread listened to the silent client, and until when, if there is no doubt: the only
  // thread that there was took up nobody else before.
  function silentHold(probes) {
    const served = answered(probes);
    const first = served.reduce((a, b) => (b.acceptedMs < a.acceptedMs ? b : a), served[0]);
    const isAlone = served.every((probe) => probe.thread === first.thread);
    if (!first || !isAlone || first.acceptedMs < NOTABLE_MS) return {};
    return { thread: first.thread, untilMs: first.acceptedMs };
  }

  // "6 clients, 1 thread, the last waited 3.0 s; you guessed 0.5 s."
  function result({ probes, guessMs }) {
    const served = answered(probes);
    const threads = threadsOf(probes).size;
    const who = served.length === probes.length
      ? count(probes.length, "client")
      : `${served.length} of ${count(probes.length, "client")} answered`;
    const guess = guessMs === null ? "" : `; you guessed ${seconds(guessMs)}`;
    const last = `the last waited ${seconds(latestMs(served))}`;
    return `${who}, ${count(threads, "thread")}, ${last}${guess}.`;
  }

  function company({ question, probes }) {
    const most = mostAtOnce(probes);
    const patient = question.handler === "slow" && most === threadsOf(probes).size &&
      most < probes.length;
    return together(most, probes.length) + (patient ? " Each handler returned at once, but its " +
      "thread stayed until the answer came." : "");
  }

  function together(most, clients) {
    if (most === 1) return "At no moment were two of them being served.";
    if (most === clients) return "All of them were being served at the same time.";
    return `At most ${most} of them were being served at the same time.`;
  }

  function pauseInWords({ question, probes }) {
    const gap = longestGap(probes);
    if (gap.lengthMs < NOTABLE_MS) return "";
    if (question.silent && gap.fromMs === 0) {
      return ` For the first ${seconds(gap.lengthMs)} none was served: the server listened to ` +
        "the client that says nothing.";
    }
    if (question.keepAlive) {
      return ` In between, nobody was served for up to ${seconds(gap.lengthMs)}: the thread ` +
        "stayed with a client that it had answered, until the idle timer told it to move on.";
    }
    return ` For ${seconds(gap.lengthMs)} nobody was served, although clients were waiting.`;
  }

  // " Clients 3 and 4 got no answer: you stopped it."
  function problems(probes) {
    const failed = probes.filter((probe) => probe.problem);
    return [...new Set(failed.map(({ problem }) => problem))].map((problem) => {
      const numbers = failed.filter((one) => one.problem === problem).map(({ probe }) => probe);
      const last = numbers.pop();
      const who = numbers.length > 0 ? `s ${numbers.join(", ")} and ${last}` : ` ${last}`;
      return ` Client${who} got no answer: ${problem}.`;
    }).join("");
  }

  // What the picture says, and what went wrong.
  function reading(run) {
    if (answered(run.probes).length === 0) return problems(run.probes).trim();
    return company(run) + pauseInWords(run) + problems(run.probes);
  }

  // What a stage is, by its name without the number.
  const IDEAS = {
    "blocking": "One thread. It finishes with one client before it looks at the next.",
    "thread-per-connection": "A thread for each client.",
    "thread-pool": "A fixed number of threads, and a queue before them.",
    "poll-loop": "One thread that waits for nobody: it asks the system who is ready.",
    "epoll-loop": "The same, and the system remembers whom it has to ask about.",
    "epoll-workers": "One thread moves the bytes, other threads run the handlers.",
    "epoll-multi-loop": "Several loops, with the clients spread over them.",
  };
  const ideaOf = (stage) => IDEAS[stage.replace(/^\d+-/, "")] || "";

  Object.assign(stagecraft, {
    seconds, answered, latestMs, heldUntilMs, silentHold, result, reading, ideaOf,
  });
})(window.stagecraft);
