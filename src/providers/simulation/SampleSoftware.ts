import type { NonEmptyReadonlyArray } from "effect/Array"

// A software firm for simulators of issue trackers and code hosts: parcel tracking for shops.

export const firm = { name: "Larkspur Labs", slug: "larkspur-labs", domain: "larkspur.example" } as const

export interface Colleague {
  readonly name: string
  /** Lower case, without spaces. */
  readonly login: string
  readonly email: string
  readonly role: string
}

const colleague = (name: string, login: string, role: string): Colleague => ({
  name,
  login,
  email: `${login.replace("-", ".")}@${firm.domain}`,
  role
})

/** The staff; the first is the one whose account is connected. */
export const staff: NonEmptyReadonlyArray<Colleague> = [
  colleague("Mira Okafor", "mira-okafor", "Engineering manager"),
  colleague("Tomás Rueda", "tomas-rueda", "Backend engineer"),
  colleague("Hanna Lindqvist", "hanna-lindqvist", "Frontend engineer"),
  colleague("Dmitri Halonen", "dmitri-halonen", "Site reliability engineer"),
  colleague("Aiko Sato", "aiko-sato", "Mobile engineer"),
  colleague("Yusuf Demir", "yusuf-demir", "Backend engineer"),
  colleague("Claire Baptiste", "claire-baptiste", "Product manager"),
  colleague("Priya Raghavan", "priya-raghavan", "Quality engineer")
]

export type WorkKind = "bug" | "feature" | "chore"

export interface WorkItem {
  readonly title: string
  readonly kind: WorkKind
  readonly area: "carriers" | "notifications" | "api" | "dashboard" | "billing" | "infrastructure" | "mobile"
  readonly text: string
}

const item = (kind: WorkKind, area: WorkItem["area"], title: string, text: string): WorkItem => ({
  title,
  kind,
  area,
  text
})

/** Bugs, features and chores, as people write them down. */
export const work: NonEmptyReadonlyArray<WorkItem> = [
  item(
    "bug",
    "carriers",
    "Carrier webhook retries forever after a 410",
    "A shop closed its endpoint and answers 410 Gone. We keep retrying every five minutes, for three weeks by now.\n\nExpected: stop after the first 410 and tell the shop by e-mail."
  ),
  item(
    "bug",
    "api",
    "Search misses parcels with umlauts in the name",
    "Searching for `Müller` finds nothing, `Muller` does. The index folds accents, the query does not."
  ),
  item(
    "feature",
    "notifications",
    "Let shops write their own SMS texts",
    "Several shops asked for it. Placeholders: order number, carrier, expected day. 160 characters, with a counter."
  ),
  item(
    "bug",
    "dashboard",
    "Dashboard shows yesterday as delivered tomorrow",
    "Only for accounts west of Greenwich. The day comes from the browser's clock, the rest from the server's."
  ),
  item(
    "chore",
    "infrastructure",
    "Move the queue workers to the new cluster",
    "- [ ] drain the old workers\n- [ ] point the secrets at the new vault\n- [ ] watch the lag for a day"
  ),
  item(
    "bug",
    "billing",
    "Invoices count test parcels",
    "Parcels made with a test key are on the invoice of October. Twelve accounts are affected."
  ),
  item(
    "feature",
    "carriers",
    "Add the Baltic parcel lockers",
    "API is REST with a key per shop. Labels come as ZPL only, so the label service has to convert them."
  ),
  item(
    "bug",
    "notifications",
    "Two e-mails when a parcel is split",
    "The event comes once for each part. We should wait a minute and send one e-mail that lists the parts."
  ),
  item(
    "feature",
    "dashboard",
    "Keyboard shortcuts in the parcel list",
    "`j` and `k` to move, `o` to open, `/` to search. Should work with a screen reader on."
  ),
  item(
    "bug",
    "mobile",
    "Scanner freezes on codes longer than 48 characters",
    "Seen on older phones. The decoder runs on the main thread."
  ),
  item(
    "chore",
    "api",
    "Remove the v1 endpoints",
    "Nobody has called them since August (see the dashboard). Announce, wait a month, remove."
  ),
  item(
    "bug",
    "api",
    "Rate limit header counts down twice",
    "`RateLimit-Remaining` goes down by two for each request that goes through the proxy."
  ),
  item(
    "feature",
    "api",
    "Cursor paging for the events endpoint",
    "Offsets get slow after page 200 and repeat rows while events come in."
  ),
  item(
    "bug",
    "carriers",
    "Tracking stops when a carrier renames a depot",
    "We key scans by depot name. They renamed 40 depots on Monday."
  ),
  item(
    "chore",
    "infrastructure",
    "Rotate the signing keys of the label service",
    "Due before the end of the quarter. Both keys must be accepted for a week."
  ),
  item(
    "feature",
    "billing",
    "Show the price of the month so far",
    "A number on the billing page, refreshed hourly; no guarantees in the wording, please."
  ),
  item(
    "bug",
    "dashboard",
    "Map does not load behind strict proxies",
    "Tiles come from a host that some companies block. Could we serve them ourselves?"
  ),
  item(
    "bug",
    "notifications",
    "Unsubscribe link breaks with a plus sign in the address",
    "`name+shop@example.org` becomes `name shop@example.org`: the link is not encoded."
  ),
  item(
    "feature",
    "mobile",
    "Work offline in the warehouse",
    "Scans should be kept and sent later. What happens to two scans of one parcel?"
  ),
  item(
    "chore",
    "api",
    "Upgrade the database driver",
    "The new major version closes idle connections by itself. Needs a look at our pool settings."
  ),
  item(
    "bug",
    "api",
    "Creating a parcel twice with one key gives two parcels",
    "Idempotency keys are compared in lower case but stored as they are."
  ),
  item(
    "feature",
    "carriers",
    "Choose the carrier by delivery day",
    "Given a day, which carrier is cheapest? The table of transit times has been there since spring."
  ),
  item(
    "bug",
    "billing",
    "Rounding differs between invoice and export",
    "One cent on 3 % of the lines. The export rounds each line, the invoice the sum."
  ),
  item("chore", "dashboard", "Replace the date picker", "The present one cannot be used without a mouse."),
  item(
    "bug",
    "infrastructure",
    "Nightly backup takes nine hours",
    "It used to take two. Started on the day the events table passed 400 GB."
  ),
  item(
    "feature",
    "notifications",
    "Quiet hours for text messages",
    "No SMS between 21:00 and 8:00 in the recipient's time zone, except for lockers that expire."
  ),
  item("bug", "mobile", "App signs out after every update", "The key store entry has the version in its name."),
  item(
    "feature",
    "api",
    "Webhook for a change of the expected day",
    "Shops poll for it today, which is 30 % of our traffic."
  ),
  item(
    "chore",
    "infrastructure",
    "Alert on queue lag instead of queue length",
    "Length says nothing on Fridays. Lag over ten minutes is what hurts."
  ),
  item(
    "bug",
    "carriers",
    "Label is cut off on A6 printers",
    "Only for addresses with five lines. Photo attached to the support ticket."
  ),
  item("feature", "dashboard", "Dark mode", "It has been asked for since 2023; the design is ready 🌙"),
  item(
    "bug",
    "dashboard",
    "التصدير يعرض العناوين العربية معكوسة",
    "Exported Arabic addresses are reversed in the PDF, right in the CSV. The font lacks the marks."
  ),
  item(
    "feature",
    "billing",
    "Pay by bank transfer",
    "Needed for public customers. Reconciliation by reference number."
  ),
  item(
    "bug",
    "api",
    "Events out of order after a failover",
    "Sequence numbers restart on the replica. Rare, but it makes delivered parcels travel again."
  ),
  item("chore", "mobile", "Drop support for old phones", "Under 0.4 % of scans last month."),
  item(
    "bug",
    "notifications",
    "Tracking page in Finnish mixes two languages",
    "Half of the strings are still English. List in the comments."
  )
]

/** Comments on the work items. */
export const remarks: NonEmptyReadonlyArray<string> = [
  "I can reproduce it with the sandbox account, every time.",
  "Not urgent for us, but support gets a question a week about it.",
  "Could this be the same as the one we closed in spring? The stack trace looks alike.",
  "Fixed on staging. Please have a look before I merge.",
  "👍 agreed. Let us do the small thing first and see.",
  "The carrier confirmed it on the phone: their side changed, ours did not.",
  "I would rather not add another setting. What is the right default?",
  "Numbers from last week: 214 parcels, 9 shops, nobody noticed but us.",
  "Blocked until the new driver is out.",
  "Danke, das war’s! Läuft seit heute Morgen ohne Fehler.",
  "Added a test that fails without the change.",
  "Moved to the next cycle; there is no one left this week."
]
