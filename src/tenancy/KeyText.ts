import { createHash, randomBytes } from "node:crypto"

/** The text of API keys: `sk_test_` or `sk_live_`, and 43 letters and digits. */

export const prefixes = { sandbox: "sk_test_", production: "sk_live_" } as const

/** 32 random bytes as 43 letters and digits, which one click selects whole. */
export const randomText = () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  let rest = BigInt(`0x${randomBytes(32).toString("hex")}`)
  return Array.from({ length: 43 }, () => {
    const digit = digits.charAt(Number(rest % 62n))
    rest /= 62n
    return digit
  }).join("")
}

export const form = /^sk_(test|live)_[0-9A-Za-z]{43}$/

/** Whether a text is meant as an API key, be it right or not. */
export const isKey = (text: string) => text.startsWith("sk_")

/** Characters of a key that are kept: too few to help guess the rest. */
export const shown = 12

// A fast hash is right for 256 random bits; a slow one is for passwords.
export const hashOf = (key: string) => createHash("sha256").update(key).digest()

export const nameOf = (hash: Uint8Array) => Buffer.from(hash).toString("base64")
