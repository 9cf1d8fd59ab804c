const button = document.querySelector("#close")
if (button instanceof HTMLButtonElement) {
  const { attempt } = button.dataset
  button.addEventListener("click", () => window.close())
  // A browser that does not let the page close itself leaves its words and the button.
  button.hidden = false
  if (attempt !== undefined && attempt !== "") {
    const channel = new BroadcastChannel("tributary-connect")
    channel.postMessage({ attemptId: attempt })
    channel.close()
    window.close()
  }
}
