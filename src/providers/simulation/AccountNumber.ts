import { createHash } from "node:crypto"
import type { Account } from "./Account.ts"

/** A number of so many digits that is an account's own, as providers number their accounts. */
export const accountNumber = ({ name }: Pick<Account, "name">, digits: number): number => {
  const hash = createHash("sha256").update(name).digest().readUIntBE(0, 6)
  return 10 ** (digits - 1) + (hash % (9 * 10 ** (digits - 1)))
}
