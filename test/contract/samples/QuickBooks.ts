import { quickBooksDocuments } from "./QuickBooksDocuments.ts"
import { quickBooksLists } from "./QuickBooksLists.ts"
import type { Samples } from "./Sample.ts"

export const quickBooks: Samples = { ...quickBooksLists, ...quickBooksDocuments }
