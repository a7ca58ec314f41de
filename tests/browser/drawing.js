// Draws a view anew, apart from the page's own board, to compare the two.
// It is evaluated in the page, with the address of the page's static files.
async (tree) => {
  // The page's own modules. A joined file exports each of its modules by a name made of its path.
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const joined = loaded.filter((name) => name.startsWith(tree) && name.endsWith(".js"));
  const files = await Promise.all(joined.map((name) => import(name)));
  const modules = Object.assign({}, ...files);
  const { render } = modules.base_dom;
  const { seatNames } = modules.base_words;
  const { rulesAddress } = modules.base_home;

  // Returns the HTML of a board without the templates' comments and the marks of the last changes.
  function bare(element) {
    const copy = element.cloneNode(true);
    for (const place of copy.querySelectorAll(".changed")) place.classList.remove("changed");
    return copy.innerHTML.replace(/<!--.*?-->/gs, "").replace(/\s+/g, " ").replace(/ (?=[">])/g, "");
  }

  // Returns the places with a mark on the page's board. The drawn board gets the same marks.
  function placesOf(kind) {
    const places = document.querySelectorAll(`.replay-board .place.${kind}`);
    return new Set([...places].map((place) => place.dataset.place));
  }

  // Returns "" if the page's board shows this view as a seat sees it (null: the public), else the
  // shown and the right board.
  window.boardFault = async (game, view, seats, reader = null) => {
    const { board } = await import(`${tree}boards/${game}/board.js`);
    const root = document.createElement("section");
    const scene = {
      view,
      seats: seatNames(seats),
      reader,
      targets: placesOf("target"),
      picked: placesOf("picked"),
      changed: new Set(),
      rule: (rule) => rulesAddress(game, rule),
      pick: () => {},
    };
    render(board.draw(scene), root);

    const shown = bare(document.querySelector(".replay-board"));
    const right = bare(root);
    return shown === right ? "" : `shown: ${shown}\n\nright: ${right}`;
  };
}
