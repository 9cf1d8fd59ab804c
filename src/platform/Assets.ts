import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { NotFound } from "./Errors.ts"

interface Asset {
  readonly content: string
  readonly contentType: string
  readonly tag: string
}

const contentTypes = new Map([
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"]
])

/** A browser asks each time whether its copy is current, so that the files of one page always belong together. */
const answer = (asset: Asset) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const own = { etag: asset.tag, "cache-control": "no-cache", "x-content-type-options": "nosniff" }
    return headers["if-none-match"] === asset.tag
      ? HttpServerResponse.empty({ status: 304, headers: own })
      : HttpServerResponse.text(asset.content, { contentType: asset.contentType, headers: own })
  })

/** Serves the scripts and styles of a folder by their names. They are small and every visit needs them: read once. */
export const serve = (folder: URL) =>
  Effect.sync(() => {
    const path = fileURLToPath(folder)
    const assets = new Map<string, Asset>(
      readdirSync(path).flatMap((name) => {
        const contentType = contentTypes.get(extname(name))
        if (contentType === undefined) return []
        const content = readFileSync(path + name, "utf8")
        const tag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`
        return [[name, { content, contentType, tag }] as const]
      })
    )
    return (name: string) => {
      const asset = assets.get(name)
      return asset === undefined
        ? Effect.fail(new NotFound({ code: "NOT_FOUND", message: `There is no asset ${name}.` }))
        : answer(asset)
    }
  })
