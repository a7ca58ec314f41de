// A clock in the page: how long after an input a version stands on the screen.
//
// It is told by double frames: a frame whose beginning finds the version drawn is the one after the
// frame that has shown it. So each time includes the wait for the next frame, the drawing, and the
// wait for the frame after it; `empty` is the same with nothing to draw.
() => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const slider = () => document.querySelector(".replay-slider");

  // The version that the page shows; null while the one that is wanted is on its way.
  function shownVersion() {
    const isBusy = document.querySelector(".replay-board")?.hasAttribute("aria-busy") ?? true;
    const stamp = document.querySelector(".replay-time")?.textContent ?? "";
    const version = Number(/Move (\d+),/.exec(stamp)?.[1]);
    return !isBusy && version === Number(slider()?.value) ? version : null;
  }

  // How long the last input took; null where it has led nowhere.
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

      // What was drawn with the input itself is shown by this first frame, and not before it.
      if (frames === 1) await nextFrame();
      return performance.now() - started;
    })();
  }
  addEventListener("keydown", watch, { capture: true });
  addEventListener("pointerdown", watch, { capture: true });

  // When each version was seen first, in milliseconds since the epoch.
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
    // Milliseconds from the beginning of the visit until what one waits for is on the screen.
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
