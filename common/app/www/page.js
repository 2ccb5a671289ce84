"use strict";

// The page's conduct: which servers there are, and what the buttons do.
//
//   /                         this server
//   /?stages=NAME@PORT,...    several servers of this machine, one strip each, one after the other
//   /?replay                  recorded runs, all at once, no server

(function (stagecraft) {

  const byId = (id) => document.getElementById(id);
  const parameters = new URLSearchParams(location.search);
  const isReplay = parameters.has("replay");

  // For the curious and for tests: every strip, and the probes of the run that ended last.
  stagecraft.strips = [];
  stagecraft.lastRun = [];

  let visitor = null;  // aborts the run when the visitor wants it

  // "01-blocking@8081" names a server of the machine that this page came from.
  function listedServer(text) {
    const [, name, port] = text.match(/^([\w.-]+)@(\d{1,5})$/) || [];
    if (!name || port > 65535) throw new Error(`"${text}" is not of the form NAME@PORT`);
    return new stagecraft.LiveServer(`http://${location.hostname || "127.0.0.1"}:${port}`, name);
  }

  async function findServers() {
    if (isReplay) {
      const recordings = await stagecraft.loadRecordings();
      return recordings.map((recording) => new stagecraft.RecordedServer(recording));
    }
    if (parameters.has("stages")) return parameters.get("stages").split(",").map(listedServer);
    if (location.protocol === "file:") {
      throw new Error("a page opened as a file has no server; add ?replay to its address");
    }
    const server = new stagecraft.LiveServer(location.origin);
    server.name = await server.introduce();
    return [server];
  }

  function setState(state) {
    document.body.dataset.state = state;
    // Not `disabled`: the button just pressed would lose the keyboard's focus.
    const busy = state === "running";
    for (const id of ["run", "run-keepalive"]) byId(id).setAttribute("aria-disabled", busy);
    byId("stop").hidden = !busy;
  }

  function question(keepAlive) {
    return {
      handler: byId("handler-waits").checked ? "slow" : "block",
      silent: byId("silent-client").checked,
      keepAlive,
    };
  }

  // The end of one server's run before its time: the visitor stops it, or nothing comes for long.
  class Patience {
    constructor(visitorsSignal) {
      this.controller = new AbortController();
      this.signal = this.controller.signal;
      const stop = () => this.controller.abort(visitorsSignal.reason);
      if (visitorsSignal.aborted) stop();
      visitorsSignal.addEventListener("abort", stop, { once: true });
      this.renew();
    }

    renew() {
      this.end();
      const { PATIENCE_MS } = stagecraft;
      this.timer = setTimeout(() =>
        this.controller.abort(`nothing came for ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
    }

    end() {
      clearTimeout(this.timer);
    }
  }

  // Runs the question against one server. Tells whether everybody was answered.
  async function runOne({ server, strip }, asked) {
    const patience = new Patience(visitor.signal);
    strip.say(isReplay ? "" : "Waiting until the server has nobody else …", "");
    try {
      strip.show(await server.run(asked, patience.signal, (probes) => {
        patience.renew();
        strip.show(probes);
      }));
      strip.finish();
    } catch (error) {
      strip.fail(unreachable(server, error, patience.signal));
    } finally {
      patience.end();
    }
    stagecraft.lastRun = strip.run.probes;
    return strip.element.dataset.state === "done";
  }

  function unreachable(server, error, signal) {
    if (signal.aborted) return `The run was ended: ${signal.reason}.`;
    if (isReplay) return `The run cannot be shown: ${error.message}.`;
    if (error instanceof TypeError) {
      return `${server.name} cannot be reached at ${server.base}. Has it been stopped? ` +
        `Start it again, with ./lab run ${server.name}, and press the button once more.`;
    }
    return `${server.name} gave no useful answer: ${error.message}.`;
  }

  function bringIntoView(element) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.scrollIntoView({ block: "nearest", behavior: calm ? "instant" : "smooth" });
  }

  // One server after the other: all at once, they would share the processors, and a strip would
  // show its neighbours too.
  async function runInTurn(asked) {
    const outcomes = [];
    for (const pair of stagecraft.strips) {
      if (stagecraft.strips.length > 1) bringIntoView(pair.strip.element);
      outcomes.push(await runOne(pair, asked));
    }
    return outcomes;
  }

  // Recordings disturb nobody: they play side by side.
  const runAtOnce = (asked) => Promise.all(stagecraft.strips.map((pair) => runOne(pair, asked)));

  async function runAll(keepAlive) {
    if (document.body.dataset.state === "running") return;
    const asked = question(keepAlive);
    visitor = new AbortController();
    setState("running");
    const waitsForOthers = !isReplay && stagecraft.strips.length > 1;
    stagecraft.strips.forEach(({ strip }) =>
      strip.prepare(asked, waitsForOthers ? "Waiting for its turn." : ""));
    const outcomes = await (isReplay ? runAtOnce(asked) : runInTurn(asked));
    setState(outcomes.every(Boolean) ? "done" : "failed");
  }

  function describe(servers) {
    const several = servers.length > 1;
    document.title = `${several ? "All stages" : servers[0].name} · Stagecraft`;
    if (several) byId("run").textContent = "Send six requests to each";
    if (isReplay) {
      byId("source").textContent =
        `${several ? `recordings of ${servers.length} servers` : "a recording"}; none is asked`;
      byId("terminal").hidden = true;
      return;
    }
    byId("source").textContent = several
      ? `${servers.length} servers on this machine, one after the other`
      : `served to you by ${servers[0].name}`;
    const base = servers[0].base;
    byId("commands").textContent =
      `curl -s '${base}/block?ms=2000' & time curl -s '${base}/block?ms=2000'\n` +
      `curl telnet://${base.replace("http://", "")}\n` +
      `curl -v ${base}/whoami`;
  }

  // The buttons stand below the one axis on which the guess is made, or above all of them. How to
  // read the picture stands below it, or beside the first of an odd number.
  function arrange(strips) {
    byId("strips").replaceChildren(...strips.map(({ element }) => element));
    if (strips.length === 1) {
      strips[0].element.querySelector(".plot").after(byId("actions"));
      return;
    }
    document.body.dataset.strips = "several";
    for (const strip of strips) strip.company = strips;
    if (strips.length % 2 === 1) strips[0].element.after(byId("reading"));
  }

  async function start() {
    try {
      const servers = await findServers();
      describe(servers);
      stagecraft.strips = servers.map((server, index) =>
        ({ server, strip: new stagecraft.Strip(server.name, index + 1) }));
      arrange(stagecraft.strips.map(({ strip }) => strip));
      byId("run").addEventListener("click", () => runAll(false));
      byId("run-keepalive").addEventListener("click", () => runAll(true));
      byId("stop").addEventListener("click", () => visitor.abort("you stopped it"));
      setState("idle");
      document.body.dataset.ready = "yes";
    } catch (error) {
      byId("actions").hidden = true;
      byId("strips").replaceChildren(stagecraft.make("p", { className: "notice", role: "alert" },
        `There is nothing to show: ${
          error instanceof TypeError ? "the server does not answer" : error.message}.`));
      document.body.dataset.state = "failed";
    }
  }

  start();
})(window.stagecraft);
