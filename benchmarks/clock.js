// A clock in the page: the time from an input until a version is on the screen.
//
// A frame that finds the version drawn at its beginning comes after the frame that has shown it. So
// each time includes the wait for the next frame, the drawing, and the wait for the frame after it.
// `empty` is the same with nothing to draw.
() => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const slider = () => document.querySelector(".replay-slider");

  // Returns the shown version. null: the wanted one is not drawn yet.
  function shownVersion() {
    const isBusy = document.querySelector(".replay-board")?.hasAttribute("aria-busy") ?? true;
    const stamp = document.querySelector(".replay-time")?.textContent ?? "";
    const version = Number(/Move (\d+),/.exec(stamp)?.[1]);
    return !isBusy && version === Number(slider()?.value) ? version : null;
  }

  // The milliseconds of the last input. null: no other version was shown within PATIENCE.
  let finished = null;
  const PATIENCE = 1500;
  async function watch(event) {
    const before = shownVersion();
    const started = event.timeStamp;
    finished = (async () => {
      let version = null;
      let frames = 0;
      do {
        await nextFrame();
        frames += 1;
        version = shownVersion();
        if (performance.now() - started > PATIENCE) return null;
      } while (version === null || version === before);

      // A version drawn with the input itself is shown by this first frame, not before it.
      if (frames === 1) await nextFrame();
      return performance.now() - started;
    })();
  }
  addEventListener("keydown", watch, { capture: true });
  addEventListener("pointerdown", watch, { capture: true });

  // The time of the first sight of each version, in milliseconds since the epoch.
  const seen = new Map();
  async function look() {
    while (true) {
      const version = shownVersion();
      if (version !== null && !seen.has(version)) {
        seen.set(version, performance.timeOrigin + performance.now());
      }
      await nextFrame();
    }
  }

  window.clock = {
    step: () => finished,
    look,
    async seen(version) {
      while (!seen.has(version)) await nextFrame();
      return seen.get(version);
    },
    // Returns the milliseconds from the beginning of the visit until an element is on the screen.
    async drawn(selector) {
      while (document.querySelector(selector) === null) await nextFrame();
      await nextFrame();
      return performance.now();
    },
    async empty() {
      const start = performance.now();
      await nextFrame();
      await nextFrame();
      return performance.now() - start;
    },
    pointOf(version) {
      const { left, top, width, height } = slider().getBoundingClientRect();
      const thumb = 16;
      const part = (version - 1) / (Number(slider().max) - 1);
      return [left + thumb / 2 + part * (width - thumb), top + height / 2];
    },
  };
}
