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

  // Which thread listened to the silent client, and until when, if there is no doubt: it alone took
  // up nobody for a while, although clients waited.
  function silentHold(probes) {
    const late = [...threadsOf(probes)]
      .map((thread) => answered(probes).filter((probe) => probe.thread === thread).sort(byTurn)[0])
      .filter((first) => first.enteredMs - first.sentMs > NOTABLE_MS);
    return late.length === 1 ? { thread: late[0].thread, untilMs: late[0].enteredMs } : {};
  }

  // Whether the handler had returned, and its thread was free, before the answer was made: the same
  // thread was in another handler meanwhile.
  function isPromised(probe, { question, probes }) {
    return question.handler === "slow" && answered(probes).some((other) =>
      other !== probe && other.thread === probe.thread &&
      other.enteredMs < probe.leftMs && probe.enteredMs < other.leftMs);
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

  // One of them, some, all.
  function shapeOf(probes) {
    const most = mostAtOnce(probes);
    return most === 1 ? "one" : most === probes.length ? "all" : "some";
  }

  function together({ question, probes }) {
    const shape = shapeOf(probes);
    if (shape === "one") return "At no moment were two of them being served.";
    if (shape === "some") {
      return `At most ${mostAtOnce(probes)} of them were being served at the same time.`;
    }
    return question.handler === "slow"
      ? "All of them were waiting for their answers at the same time."
      : "All of them were being served at the same time.";
  }

  // Why the picture looks as it does: " Each had a thread to itself."
  function reason(run) {
    const { stage, question, probes } = run;
    if (question.handler === "slow" && !probes.some((probe) => isPromised(probe, run))) {
      return " Each handler returned at once, but its thread stayed until the answer came.";
    }
    const text = REASONS[wordsOf(stage)]?.[`${shapeOf(probes)} ${question.handler}`];
    return text ? ` ${text}` : "";
  }

  // What the client that says nothing has cost the others.
  function costOfSilence({ stage, question, probes }) {
    if (!question.silent) return "";
    const { thread, untilMs } = silentHold(probes);
    if (thread && threadsOf(probes).size === 1) {
      return ` For the first ${seconds(untilMs)} none was served: the server listened to the ` +
        "client that says nothing.";
    }
    if (thread) {
      return ` For the first ${seconds(untilMs)} one thread was missing: it listened to the ` +
        "client that says nothing.";
    }
    const text = SILENCE[wordsOf(stage)];
    return text ? ` ${text}` : "";
  }

  function pauseInWords({ question, probes }) {
    const gap = longestGap(probes);
    if (gap.lengthMs < NOTABLE_MS || (question.silent && gap.fromMs === 0)) return "";
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
    return together(run) + reason(run) + costOfSilence(run) + pauseInWords(run) +
      problems(run.probes);
  }

  // What a stage is, by its name without the number.
  const wordsOf = (stage) => stage.replace(/^\d+-/, "");
  const IDEAS = {
    "blocking": "One thread. It finishes with one client before it looks at the next.",
    "thread-per-connection": "A thread for each client.",
    "thread-pool": "A fixed number of threads, and a queue before them.",
    "poll-loop": "One thread that waits for nobody: it asks the system who is ready.",
    "epoll-loop": "The same, and the system remembers whom it has to ask about.",
    "epoll-workers": "One thread moves the bytes, other threads run the handlers.",
    "epoll-multi-loop": "Several loops, with the clients spread over them.",
  };
  const ideaOf = (stage) => IDEAS[wordsOf(stage)] || "";

  // By how many were served at once, and what their handlers do.
  const LOOP_STOOD_STILL = "While a handler sleeps, the loop stands still, and with it everybody.";
  const NOBODY_HELD_IT = "One thread was enough: each handler gave it back at once, and the loop " +
    "sent each answer when it was there.";
  const ENOUGH_WORKERS = "There are workers enough for six. With --workers 3 you would see rows.";
  const REASONS = {
    "thread-per-connection": { "all block": "Each had a thread to itself." },
    "thread-pool": {
      "some block": "The others waited in the queue until a thread was free.",
      "all block": ENOUGH_WORKERS,
    },
    "poll-loop": { "one block": LOOP_STOOD_STILL, "all slow": NOBODY_HELD_IT },
    "epoll-loop": { "one block": LOOP_STOOD_STILL, "all slow": NOBODY_HELD_IT },
    "epoll-workers": {
      "some block": "The others waited for a worker. The loop waited for nobody.",
      "all block": ENOUGH_WORKERS,
      "all slow": `${NOBODY_HELD_IT} No worker was needed.`,
    },
    "epoll-multi-loop": {
      "some block": "The others waited for a worker. No loop waited for anybody.",
      "all block": ENOUGH_WORKERS,
      "all slow": "The loops shared the clients, and no handler kept a loop.",
    },
  };

  // What a client that says nothing costs, where the picture does not show it.
  const COSTS_NO_THREAD = "The client that says nothing was in nobody's way: no thread waits " +
    "for it.";
  const SILENCE = {
    "thread-per-connection": "The client that says nothing was in nobody's way: it has a thread " +
      "of its own.",
    "thread-pool": "One more thread was busy all the while: with the client that says nothing.",
    "poll-loop": COSTS_NO_THREAD,
    "epoll-loop": COSTS_NO_THREAD,
    "epoll-workers": COSTS_NO_THREAD,
    "epoll-multi-loop": COSTS_NO_THREAD,
  };

  Object.assign(stagecraft, {
    seconds, answered, latestMs, heldUntilMs, silentHold, isPromised, result, reading, ideaOf,
  });
})(window.stagecraft);
