import { hubSpot } from "./samples/HubSpot.ts"
import { netSuite } from "./samples/NetSuite.ts"
import { pipedrive } from "./samples/Pipedrive.ts"
import { quickBooks } from "./samples/QuickBooks.ts"
import { salesforce } from "./samples/Salesforce.ts"
import type { Samples } from "./samples/Sample.ts"
import { xeroSamples } from "./samples/Xero.ts"
import { zohoCrm } from "./samples/ZohoCrm.ts"
import type { Row } from "./Table.ts"

/** By provider. */
const all: { readonly [provider: string]: Samples } = {
  hubspot: hubSpot,
  salesforce,
  pipedrive,
  netsuite: netSuite,
  quickbooks: quickBooks,
  xero: xeroSamples,
  zoho_crm: zohoCrm
}

/** The kinds of a row, each with its name; a row that can be created must have one. */
export const samplesOf = (rows: ReadonlyArray<Row>) =>
  rows.flatMap((row) => {
    const kinds = all[row.provider]?.[row.path.slice(1)]
    if (kinds === undefined) throw new Error(`${row.name} can be created and has no sample`)
    return Object.entries(kinds).map(([kind, sample]) => [`${row.name} (${kind})`, row, sample] as const)
  })
