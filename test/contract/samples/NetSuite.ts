import { netSuiteDocuments } from "./NetSuiteDocuments.ts"
import { netSuiteLists } from "./NetSuiteLists.ts"
import type { Samples } from "./Sample.ts"

export const netSuite: Samples = { ...netSuiteLists, ...netSuiteDocuments }
