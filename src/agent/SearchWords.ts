/** Words of a request that say nothing about which tool is meant. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been but by can could do does did for from get give had has have he her him
   his how i if in into is it its let like me my need now of on one or our out please s she should so some someone somebody
   something t that the their them then there these they this those to too us want was we were what when where which who
   whom whose why will with would you your`.split(/\s+/)
)

// Synonyms: asking for one word of a group also finds the others.

/** Actions. Many tools share one, so they say less about which tool is wanted than things do. */
export const actions: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "create",
    "add",
    "new",
    "make",
    "open",
    "file",
    "log",
    "raise",
    "start",
    "write",
    "enter",
    "record",
    "insert",
    "register"
  ],
  ["create", "schedule", "book", "plan", "set up"],
  ["append", "add", "put", "insert"],
  ["list", "show", "all", "which", "browse", "overview", "see"],
  ["get", "read", "view", "fetch", "open", "details", "look"],
  ["search", "find", "look", "lookup", "query", "locate", "grep"],
  ["update", "change", "edit", "modify", "set", "rename", "adjust", "correct", "mark"],
  ["update", "assign", "move", "archive"],
  ["transition", "move", "status", "progress"],
  ["delete", "remove", "trash", "erase", "drop", "discard"],
  ["send", "post", "write", "dm", "notify"],
  ["reply", "answer", "respond"],
  ["invite", "share"],
  ["add", "subscribe", "enroll"]
]

/** Things that actions apply to. */
export const things: ReadonlyArray<ReadonlyArray<string>> = [
  ["issue", "bug", "ticket", "defect", "problem"],
  ["issue", "error", "crash", "exception"],
  ["label", "tag"],
  ["pull request", "pr", "merge request", "mr"],
  ["pull", "pr"],
  ["merge", "pr"],
  ["repository", "repo", "project"],
  ["code", "source", "function"],
  ["file", "document", "picture", "image", "attachment"],
  ["check", "ci", "pipeline", "build"],
  ["commit", "file", "write"],
  ["message", "mail", "email", "e-mail", "inbox"],
  ["gmail", "mail", "email"],
  ["outlook", "mail", "email"],
  ["thread", "conversation"],
  ["page", "document", "wiki", "note"],
  ["block", "paragraph", "text"],
  ["worklog", "hours", "time"],
  ["cycle", "sprint", "iteration"],
  ["query", "sql", "select"],
  ["table", "columns", "schema"],
  ["explain", "slow", "plan"],
  ["contact", "person", "people", "client", "customer"],
  ["contact", "supplier", "vendor", "customer"],
  ["company", "account", "organisation", "organization", "business", "firm"],
  ["deal", "opportunity", "sale"],
  ["lead", "prospect"],
  ["task", "todo", "reminder", "remind"],
  ["note", "memo", "minutes", "talked"],
  ["meeting", "event", "appointment", "calendar", "call"],
  ["owner", "rep", "salesperson"],
  ["pipeline", "stage"],
  ["invoice", "bill", "unpaid", "overdue"],
  ["payment", "paid", "pay"],
  ["refund", "credit"],
  ["income statement", "profit", "loss", "revenue", "p&l"],
  ["tax", "vat", "gst"],
  ["item", "product", "service", "sku"],
  ["expense", "cost", "spending", "reimburse", "reimbursement", "travel"],
  ["purchase order", "po", "order stock"],
  ["purchase", "buy", "order"],
  ["fulfil", "fulfill", "ship", "shipment", "delivery"],
  ["inventory", "stock"],
  ["employee", "staff", "colleague"],
  ["sheet", "spreadsheet", "excel"],
  ["row", "record", "line"],
  ["channel", "slack"],
  ["direct message", "dm"],
  ["audience", "newsletter", "mailing list"]
]
