// The examples call the server of the page. Without scripts they call one on this machine.

const start = document.querySelector("[data-server]");
const server = start?.getAttribute("data-server");
if (start && server) {
  const { origin } = new URL(server);
  for (const example of start.querySelectorAll("pre, code")) {
    example.textContent = (example.textContent ?? "").replaceAll(origin, window.location.origin);
  }
}
