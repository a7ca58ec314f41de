// Draws a view anew, apart from the page's own board, to compare the two.
// It is evaluated in the page, with the address of the page's static files.
async (tree) => {
  const { render } = await import(`${tree}base/dom.js`);
  const { seatNames } = await import(`${tree}base/words.js`);

  // Comments are the templates' own marks; what has changed last is no part of a position.
  function bare(element) {
    const copy = element.cloneNode(true);
    for (const place of copy.querySelectorAll(".changed")) place.classList.remove("changed");
    return copy.innerHTML.replace(/<!--.*?-->/gs, "").replace(/\s+/g, " ").replace(/ (?=[">])/g, "");
  }

  // Returns "" if the page's board shows this view, else what it shows and what would be right.
  window.boardFault = async (game, view, seats) => {
    const { board } = await import(`${tree}boards/${game}/board.js`);
    const root = document.createElement("section");
    const scene = {
      view,
      seats: seatNames(seats),
      reader: null,
      targets: new Set(),
      picked: new Set(),
      changed: new Set(),
      pick: () => {},
    };
    render(board.draw(scene), root);

    const shown = bare(document.querySelector(".replay-board"));
    const right = bare(root);
    return shown === right ? "" : `shown: ${shown}\n\nright: ${right}`;
  };
}
