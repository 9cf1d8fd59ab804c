/**
 * Compresses anew, as far as Brotli goes, what the build compressed quickly: a package is made once and fetched often.
 */
import { readFile, rename, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, brotliDecompress, constants } from "node:zlib"

const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }

await Promise.all(
  ["snapshot.tar.br", "documents/docs.html.br"].map(async (name) => {
    const file = fileURLToPath(new URL(`../dist/${name}`, import.meta.url))
    const content = await promisify(brotliDecompress)(await readFile(file))
    // a build that is interrupted must not leave half of one
    await writeFile(`${file}.new`, await promisify(brotliCompress)(content, options))
    await rename(`${file}.new`, file)
  })
)
