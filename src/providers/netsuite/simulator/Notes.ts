import { Decimal } from "decimal.js"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt } from "../../simulation/Docs.ts"
import { itemOf } from "./Books.ts"

// Lines that bill nothing: subtotals, descriptions, and the first and last line of an item group, whose members stand between.
// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/article_0120112015.html

const noteTypes: ReadonlyArray<unknown> = ["Subtotal", "Description", "Group", "EndGroup"]

const isNote = ({ itemType }: Doc): boolean => noteTypes.includes(itemType)

/** The lines that a document bills. */
export const billingLines = (lines: ReadonlyArray<Doc>): ReadonlyArray<Doc> => lines.filter((line) => !isNote(line))

/** Puts the members of a group after its line, where the line is new. */
export const withMembers = (account: Account, lines: ReadonlyArray<Doc>): ReadonlyArray<Doc> =>
  lines.flatMap((line) => {
    const item = itemOf(account, line)?.doc ?? {}
    if (item.itemType !== "Group" || line.itemType !== undefined) return [line]
    const times = line.quantity === undefined ? new Decimal(1) : amountAt(line, "quantity")
    return [
      line,
      ...partsAt(item, "member").map((member) => ({
        item: member.item,
        quantity: amountAt(member, "quantity").times(times).toNumber()
      })),
      { itemType: "EndGroup", description: "End of Group" }
    ]
  })

const sumOf = (lines: ReadonlyArray<Doc>): number =>
  billingLines(lines)
    .reduce((sum, line) => sum.plus(amountAt(line, "amount")), new Decimal(0))
    .toNumber()

/** Completes the lines of a document: `complete` those that it bills, here the others. */
export const withNotes = (
  account: Account,
  lines: ReadonlyArray<Doc>,
  complete: (line: Doc) => Doc
): ReadonlyArray<Doc> => {
  const done: Array<Doc> = []
  const since = (type: string) => done.slice(done.findLastIndex(({ itemType }) => itemType === type) + 1)
  for (const line of lines) {
    const item = itemOf(account, line)?.doc ?? {}
    const itemType = line.itemType === "EndGroup" ? "EndGroup" : item.itemType
    if (!noteTypes.includes(itemType)) {
      done.push(complete(line))
      continue
    }
    const { amount: _, rate: __, taxCode: ___, ...rest } = line
    const amount =
      itemType === "Subtotal" ? sumOf(since("Subtotal")) : itemType === "EndGroup" ? sumOf(since("Group")) : undefined
    done.push(
      compact({
        ...rest,
        itemType,
        description: line.description ?? item.description,
        quantity: itemType === "Group" ? (line.quantity ?? 1) : undefined,
        amount
      })
    )
  }
  return done
}
