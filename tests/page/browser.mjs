// What the pages' modules ask a browser for when they are loaded, where Node runs them: imported
// before them. Nothing is rendered.

const element = () => ({ dataset: {}, append() {}, setAttribute() {}, replaceChildren() {} });

globalThis.document = Object.assign(new EventTarget(), {
  documentElement: element(),
  body: element(),
  createTreeWalker() {},
  createComment() {},
  createElement: element,
});

globalThis.window = Object.assign(new EventTarget(), {
  location: { hash: "", pathname: "/", search: "", assign() {} },
  matchMedia: () => ({ matches: false }),
});
