/** Reasons that several resources share, as `GET /providers` shows them. */

export const postsByDate = "QuickBooks Online posts by document date and has no posting periods."

export const notOfEntries = "QuickBooks Online does not return the payments that settle a journal entry."

export const noSalesOrders = "The QuickBooks Online API has no sales orders."

export const reportStamps = {
  remote_created_at: "QuickBooks Online computes reports on request and states no creation time.",
  remote_updated_at: "QuickBooks Online computes reports on request and states no change time."
}
