// @ts-check

/**
 * Puts an id into the clipboard when its button is pressed, and says so. Without this script the buttons stay hidden, and an
 * id is chosen whole by a click on it.
 */
const spoken = document.querySelector("[data-spoken]")

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement) || navigator.clipboard === undefined) continue
  button.hidden = false
  const label = button.dataset["label"] ?? "id"
  /** @param {string} outcome */
  const say = (outcome) => {
    if (spoken !== null) spoken.textContent = `The ${label} ${outcome}`
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(button.dataset["copy"] ?? "")
      say("is copied")
      button.classList.add("done")
      setTimeout(() => button.classList.remove("done"), 1500)
    } catch {
      say("could not be copied")
    }
  }
  button.addEventListener("click", () => void copy())
}
