/** Why several resources lack a field, as `GET /providers` shows it. */

export const postsByDate = "QuickBooks Online posts by the date of a document, which names no posting period."

export const notOfEntries = "QuickBooks Online does not return with a journal entry the payments that settle it."

export const noSalesOrders = "The QuickBooks Online API has no sales orders."

/** Reports are computed when they are asked for. */
export const reportStamps = {
  remote_created_at: "QuickBooks Online computes a report for each request and states no time of its creation.",
  remote_updated_at: "QuickBooks Online computes a report for each request and states no time of its last change."
}
