/**
 * Opens the connect page for an end user, from a page of an organisation.
 *
 *     <script src="https://tributary.example.com/connect.js"></script>
 *
 *     const opened = Tributary.connect({
 *       connectUrl,                  // of `POST /connect/token`; or its `token`
 *       mode: "popup",               // in a click of the user; or "iframe": over the page, or in `container`
 *       onEvent: (event) => {
 *         // { type: "connected", connectionId, integration }
 *         // { type: "error", code, message }
 *         // { type: "closed" }, once and last
 *       }
 *     })
 *     opened.close()
 *
 * The page's origin must be among the session's allowed origins. A popup reports only to a page whose
 * `Cross-Origin-Opener-Policy` is absent, `unsafe-none` or `same-origin-allow-popups`.
 */
;(() => {
  const script = document.currentScript

  /**
   * @typedef {{ type: "connected", connectionId: string, integration: string }
   *   | { type: "error", code: string, message: string } | { type: "closed" }} ConnectEvent
   * @typedef {{
   *   connectUrl?: string, token?: string, origin?: string, mode?: "popup" | "iframe", container?: Element | string,
   *   onEvent?: (event: ConnectEvent) => void
   * }} Options
   */
  const names = ["connectUrl", "token", "origin", "mode", "container", "onEvent"]

  /** @param {string} what */
  const wrong = (what) => new TypeError(`Tributary.connect: ${what}`)

  /**
   * The address of the connect page. With a `token`, `origin` is where the service is; without it, where this script is from.
   *
   * @param {Options} options
   */
  const addressOf = ({ connectUrl, origin, token }) => {
    if ((connectUrl === undefined) === (token === undefined)) throw wrong("give either connectUrl or token")
    const service = origin ?? (script instanceof HTMLScriptElement ? script.src : undefined)
    if (connectUrl === undefined && service === undefined) throw wrong("with a token, origin must name the service")
    const address = connectUrl === undefined ? new URL("connect", service) : new URL(connectUrl)
    if (token !== undefined) address.hash = `token=${token}`
    if (!address.hash.startsWith("#token=")) throw wrong("connectUrl has no #token")
    if (location.origin === "null") throw wrong("this page has no origin; serve it over http or https")
    address.searchParams.set("origin", location.origin)
    return address
  }

  /** @param {Options} options */
  const connect = (options) => {
    const unknown = Object.keys(options).find((name) => !names.includes(name))
    if (unknown !== undefined) throw wrong(`there is no option ${unknown}; there are ${names.join(", ")}`)
    const { mode = "popup", onEvent = () => {} } = options
    if (mode !== "popup" && mode !== "iframe") throw wrong('mode is "popup" or "iframe"')
    if (mode === "popup" && options.container !== undefined) throw wrong('container is for mode "iframe"')
    const address = addressOf(options)

    const view = mode === "popup" ? popupOf(address) : frameOf(address, options.container, () => end())
    if (view === undefined) {
      const message = "The browser blocked the window. Call Tributary.connect in a click of the user."
      queueMicrotask(() => onEvent({ type: "error", code: "POPUP_BLOCKED", message }))
      return { close: () => {} }
    }

    /** @param {MessageEvent} message */
    const listen = ({ data, origin, source }) => {
      if (source !== view.window() || origin !== address.origin || data?.source !== "tributary") return
      const { source: _, ...event } = data
      if (event.type === "closed") end()
      else onEvent(event)
    }
    let isOpen = true
    const end = () => {
      if (!isOpen) return
      isOpen = false
      clearInterval(watch)
      removeEventListener("message", listen)
      view.close()
      onEvent({ type: "closed" })
    }
    addEventListener("message", listen)
    // A window that is closed says nothing.
    const watch = setInterval(() => {
      if (view.isGone()) end()
    }, 400)
    return { close: end }
  }

  /** @param {URL} address */
  const popupOf = (address) => {
    const [width, height] = [480, 760]
    const left = Math.round(screenX + (outerWidth - width) / 2)
    const top = Math.round(screenY + (outerHeight - height) / 2)
    const popup = open(address, "_blank", `popup,width=${width},height=${height},left=${left},top=${top}`)
    if (popup === null) return undefined
    return { window: () => popup, isGone: () => popup.closed, close: () => popup.close() }
  }

  /**
   * A frame in the given element, or in a dialog over the page.
   *
   * @param {URL} address
   * @param {Element | string | undefined} container
   * @param {() => void} onClose
   */
  const frameOf = (address, container, onClose) => {
    const place = typeof container === "string" ? document.querySelector(container) : container
    if (place === null) throw wrong(`there is no element ${String(container)}`)
    const frame = document.createElement("iframe")
    frame.src = address.href
    frame.title = "Connect your tools"
    frame.referrerPolicy = "no-referrer"
    Object.assign(frame.style, { display: "block", width: "100%", border: "0", colorScheme: "normal" })
    if (place !== undefined) {
      Object.assign(frame.style, { height: "100%", minHeight: "560px" })
      place.append(frame)
      return { window: () => frame.contentWindow, isGone: () => !frame.isConnected, close: () => frame.remove() }
    }
    const dialog = dialogAround(frame, onClose)
    const close = () => {
      // gives the focus back to where it was
      dialog.close()
      dialog.remove()
    }
    return { window: () => frame.contentWindow, isGone: () => !dialog.isConnected, close }
  }

  /**
   * @param {HTMLIFrameElement} frame
   * @param {() => void} onClose
   */
  const dialogAround = (frame, onClose) => {
    const dialog = document.createElement("dialog")
    const panel = document.createElement("div")
    const close = document.createElement("button")
    close.type = "button"
    close.textContent = "Close"
    close.addEventListener("click", onClose)
    dialog.setAttribute("aria-label", frame.title)
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault()
      onClose()
    })
    dialog.addEventListener("click", ({ target }) => {
      if (target === dialog) onClose()
    })
    Object.assign(dialog.style, {
      ...{ display: "grid", placeItems: "center", boxSizing: "border-box", padding: "12px", border: "0" },
      ...{ width: "100vw", height: "100dvh", maxWidth: "none", maxHeight: "none", background: "rgb(12 14 17 / 60%)" }
    })
    Object.assign(panel.style, { display: "grid", gap: "8px", width: "min(480px, 100%)" })
    Object.assign(close.style, {
      ...{ justifySelf: "end", padding: "8px 14px", border: "1px solid rgb(255 255 255 / 55%)", borderRadius: "999px" },
      ...{
        background: "rgb(12 14 17 / 70%)",
        color: "#fff",
        font: "600 14px/1.2 system-ui, sans-serif",
        cursor: "pointer"
      }
    })
    Object.assign(frame.style, {
      height: "min(720px, calc(100dvh - 80px))",
      borderRadius: "16px",
      background: "Canvas"
    })
    panel.append(close, frame)
    dialog.append(panel)
    document.body.append(dialog)
    dialog.showModal()
    frame.focus()
    return dialog
  }

  Object.assign(window, { Tributary: Object.freeze({ connect }) })
})()
