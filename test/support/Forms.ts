/** A file in a form. */
export interface FilePart {
  readonly name?: string
  readonly type?: string
  readonly content: string | Uint8Array
}

const boundary = "----form7d41b838"

const headOf = (name: string, value: string | FilePart) => {
  if (typeof value === "string") return `Content-Disposition: form-data; name="${name}"`
  const fileName = value.name === undefined ? "" : `; filename="${value.name}"`
  const type = value.type === undefined ? "" : `\r\nContent-Type: ${value.type}`
  return `Content-Disposition: form-data; name="${name}"${fileName}${type}`
}

/** The body of a form, part by part; `open` leaves its end out. */
export const formBody = (
  parts: ReadonlyArray<readonly [name: string, value: string | FilePart]>,
  open = false
): Uint8Array =>
  Buffer.concat([
    ...parts.flatMap(([name, value]) => [
      Buffer.from(`--${boundary}\r\n${headOf(name, value)}\r\n\r\n`),
      Buffer.from(typeof value === "string" ? value : value.content),
      Buffer.from("\r\n")
    ]),
    Buffer.from(open ? "" : `--${boundary}--\r\n`)
  ])

export const formType = `multipart/form-data; boundary=${boundary}`
