import { hints } from "../../src/toolkits/Tool.ts"
import type { Searchable } from "../../src/agent/ToolSearch.ts"

/** `action object: what it does`, one a line, as the documentation of such a service would have it. */
const services: { readonly [slug: string]: readonly [name: string, tools: string] } = {
  github: [
    "GitHub",
    `create issue: Open a new issue in a repository with a title, body, labels and assignees
     get issue: Read one issue with its body and state
     list issues: List the issues of a repository by state, label or assignee
     update issue: Change title, body, state, labels or assignees of an issue
     add_issue comment: Comment on an issue or pull request
     list_issue comments: Read the comments of an issue
     search issues: Search issues across repositories
     add labels: Put labels on an issue or pull request
     remove label: Take a label off an issue
     list labels: List the labels of a repository
     create pull_request: Open a pull request from one branch to another
     get pull_request: Read one pull request
     get pull_request_diff: Read the changes of a pull request as a diff
     list pull_requests: List the pull requests of a repository
     list pull_request_files: List the files changed in a pull request
     merge pull_request: Merge a pull request
     update pull_request: Change title, body or base of a pull request
     search pull_requests: Search pull requests by author, reviewer or state
     create review: Review a pull request: approve, request changes or comment
     list reviews: List the reviews of a pull request with who approved
     request reviewers: Ask people to review a pull request
     get file: Read a file of a repository at a ref
     create_or_update file: Write a file and commit it
     delete file: Delete a file of a repository and commit that
     list directory: List files and folders of a repository
     search code: Search the text of source code
     create branch: Create a branch from a commit
     delete branch: Delete a branch
     list branches: List the branches of a repository
     list commits: List the commits of a branch
     get commit: Read one commit with its changes
     compare refs: Compare two branches or commits
     list checks: List the check runs of a commit with their conclusions
     create repository: Create a repository
     get repository: Read facts about a repository
     list repositories: List repositories that the account can see
     search repositories: Search repositories
     fork repository: Fork a repository
     list releases: List the releases of a repository
     list milestones: List the milestones of a repository`
  ],
  gmail: [
    "Gmail",
    `search messages: Search mail with Gmail's query language
     list messages: List the messages of the mailbox
     get message: Read one message
     get thread: Read a whole thread of messages
     list threads: List threads
     create draft: Create a draft, also as a reply
     update draft: Change a draft
     send draft: Send a draft
     send message: Send a message to recipients
     list labels: List the labels of the mailbox
     create label: Create a label
     modify labels: Add labels to or remove them from a message, which archives it or marks it as read
     trash message: Move a message to the trash
     list drafts: List drafts
     get attachment: Read an attachment of a message`
  ],
  notion: [
    "Notion",
    `search: Search pages and databases by title
     get page: Read the properties of a page
     get page_content: Read the blocks of a page as text
     create page: Create a page in a parent page or database
     update page: Change the properties of a page
     archive page: Archive a page
     append blocks: Append blocks, such as paragraphs, to a page
     delete block: Delete a block
     get database: Read the schema of a database
     query database: Query the rows of a database with filters and sorts
     create database: Create a database
     list users: List the members of the workspace
     list comments: List the comments of a page
     create comment: Comment on a page`
  ],
  linear: [
    "Linear",
    `create issue: Create an issue in a team
     get issue: Read an issue
     list issues: List issues by team, assignee, state or project
     search issues: Search issues by text
     update issue: Change state, assignee, priority, labels or title of an issue
     delete issue: Delete an issue
     create comment: Comment on an issue
     list comments: List the comments of an issue
     list teams: List the teams
     list projects: List the projects
     create project: Create a project
     list cycles: List the cycles of a team, such as the current one
     list users: List the members
     list labels: List issue labels
     list workflow_states: List the states an issue of a team can be in`
  ],
  jira: [
    "Jira",
    `search issues: Search issues with JQL
     get issue: Read an issue
     create issue: Create an issue in a project
     update issue: Change fields of an issue
     delete issue: Delete an issue
     assign issue: Assign an issue to a user
     transition issue: Move an issue to another status
     list transitions: List the transitions an issue can make
     add comment: Comment on an issue
     list comments: List the comments of an issue
     add worklog: Log time spent on an issue
     list worklogs: List the time logged on an issue
     list projects: List projects
     list issue_types: List the issue types of a project
     search users: Find users
     list boards: List boards
     list sprints: List the sprints of a board
     link issues: Link two issues`
  ],
  postgres: [
    "PostgreSQL",
    `query: Run one SQL SELECT statement, read only
     list tables: List schemas and tables of the database
     describe table: Columns, types, keys and indexes of a table
     explain: Show the plan of a query, to find out why it is slow
     execute: Run one SQL statement that writes`
  ],
  slack: [
    "Slack",
    `send message: Post a message to a channel
     send direct_message: Send a direct message to a person
     update message: Edit a message
     delete message: Delete a message
     reply_to thread: Reply in a thread
     list channels: List channels
     create channel: Create a channel
     archive channel: Archive a channel
     invite_to channel: Invite people to a channel
     set_channel topic: Set the topic of a channel
     list messages: Read the history of a channel
     search messages: Search messages
     list users: List the members of the workspace
     get user: Read a member's profile
     add reaction: React to a message with an emoji
     pin message: Pin a message
     schedule message: Schedule a message for later
     upload file: Upload a file to a channel
     list files: List files
     set status: Set the own status`
  ],
  stripe: [
    "Stripe",
    `create customer: Create a customer
     get customer: Read a customer
     list customers: List customers
     update customer: Change a customer
     create charge: Charge a payment source
     list charges: List charges
     create refund: Refund a charge, in whole or in part
     list refunds: List refunds
     create payment_intent: Create a payment intent
     capture payment_intent: Capture an authorised payment intent
     create subscription: Subscribe a customer to a price
     update subscription: Change a subscription
     cancel subscription: Cancel a subscription
     list subscriptions: List subscriptions
     create product: Create a product
     list products: List products
     create price: Create a price
     create coupon: Create a coupon
     create payment_link: Create a payment link
     list payouts: List payouts
     get balance: Read the account's balance
     list disputes: List disputes
     finalize invoice: Finalize a draft invoice
     list events: List events`
  ],
  zendesk: [
    "Zendesk",
    `create ticket: Create a support ticket
     get ticket: Read a support ticket
     list tickets: List support tickets
     search tickets: Search support tickets
     update ticket: Change status, priority or assignee of a support ticket
     reply_to ticket: Answer the requester of a support ticket
     add_internal note: Add an internal note to a support ticket
     merge tickets: Merge support tickets
     delete ticket: Delete a support ticket
     list users: List agents and requesters
     create user: Create a requester
     list organizations: List organizations
     list macros: List macros
     apply macro: Apply a macro to a ticket
     list views: List ticket views
     list articles: List help center articles
     create article: Create a help center article
     get satisfaction_rating: Read a satisfaction rating`
  ],
  googlecalendar: [
    "Google Calendar",
    `create event: Create an event with attendees
     get event: Read an event
     list events: List events of a calendar in a period
     update event: Change or move an event
     delete event: Delete an event
     find free_time: Find when people are free or busy
     respond_to event: Accept or decline an invitation
     list calendars: List calendars
     create calendar: Create a calendar
     share calendar: Share a calendar
     quick_add event: Create an event from a sentence`
  ],
  googledrive: [
    "Google Drive",
    `search files: Search files by name or content
     get file: Read facts about a file
     download file: Download a file's content
     upload file: Upload a file
     create folder: Create a folder
     move file: Move a file to another folder
     copy file: Copy a file
     delete file: Delete a file
     share file: Share a file with people, with the role that they get
     list permissions: List who can see a file
     remove permission: Stop sharing a file with somebody
     export document: Export a document as PDF or text
     list revisions: List revisions of a file`
  ],
  googlesheets: [
    "Google Sheets",
    `get values: Read the cells of a range
     update values: Write the cells of a range
     append rows: Append rows to a sheet
     clear values: Clear the cells of a range
     create spreadsheet: Create a spreadsheet
     add sheet: Add a sheet to a spreadsheet
     delete sheet: Delete a sheet
     format cells: Format cells
     create chart: Create a chart
     find replace: Find and replace text`
  ],
  outlook: [
    "Outlook",
    `list messages: List messages of a mail folder
     search messages: Search mail
     get message: Read a message
     send message: Send a mail
     create draft: Create a draft
     reply_to message: Reply to a mail
     forward message: Forward a mail
     move message: Move a mail to a folder
     delete message: Delete a mail
     list folders: List mail folders
     create rule: Create an inbox rule
     list events: List calendar events
     create event: Create a calendar event
     list contacts: List contacts of the address book`
  ],
  asana: [
    "Asana",
    `create task: Create a task in a project
     get task: Read a task
     list tasks: List tasks of a project or section
     update task: Change a task
     complete task: Mark a task as complete
     delete task: Delete a task
     add comment: Comment on a task
     add follower: Add a follower to a task
     set due_date: Set the due date of a task
     list projects: List projects
     create project: Create a project
     list sections: List sections of a project
     add_task_to section: Move a task to a section
     list workspaces: List workspaces
     search tasks: Search tasks
     create subtask: Create a subtask`
  ],
  trello: [
    "Trello",
    `create card: Create a card on a list
     get card: Read a card
     update card: Change a card
     move card: Move a card to another list
     archive card: Archive a card
     delete card: Delete a card
     add comment: Comment on a card
     add checklist: Add a checklist to a card
     list boards: List boards
     create board: Create a board
     list lists: List the lists of a board
     create list: Create a list on a board
     add member: Add a member to a card
     add label: Add a label to a card`
  ],
  shopify: [
    "Shopify",
    `list products: List products
     get product: Read a product
     create product: Create a product
     update product: Change a product
     delete product: Delete a product
     list orders: List orders
     get order: Read an order
     create order: Create an order
     cancel order: Cancel an order
     fulfill order: Fulfil an order: ship it and tell the customer
     refund order: Refund an order
     list customers: List customers
     create customer: Create a customer
     get inventory_level: How many of a product are in stock at a location
     adjust inventory_level: Adjust the stock of a product
     list locations: List locations
     create discount: Create a discount code
     list collections: List collections
     list abandoned_checkouts: List abandoned checkouts`
  ],
  mailchimp: [
    "Mailchimp",
    `list audiences: List audiences
     add list_member: Add a person to an audience of a newsletter
     update list_member: Change a member of an audience
     remove list_member: Unsubscribe a person from an audience
     create campaign: Create a campaign
     send campaign: Send a campaign
     schedule campaign: Schedule a campaign
     get campaign_report: Opens and clicks of a campaign
     list templates: List templates
     add tags: Tag a member
     create segment: Create a segment`
  ],
  dropbox: [
    "Dropbox",
    `list folder: List the files of a folder
     upload file: Upload a file
     download file: Download a file
     delete file: Delete a file
     move file: Move a file
     copy file: Copy a file
     create folder: Create a folder
     create shared_link: Create a shared link
     search files: Search files
     get metadata: Read facts about a file
     list revisions: List revisions of a file
     restore file: Restore an earlier revision`
  ],
  pagerduty: [
    "PagerDuty",
    `list incidents: List incidents
     get incident: Read an incident
     create incident: Create an incident
     acknowledge incident: Acknowledge an incident
     resolve incident: Resolve an incident
     reassign incident: Reassign an incident
     add_incident note: Add a note to an incident
     list oncalls: List who is on call now
     list schedules: List on-call schedules
     create override: Override an on-call schedule
     list services: List services
     list escalation_policies: List escalation policies`
  ],
  sentry: [
    "Sentry",
    `list projects: List projects
     list issues: List issues: errors grouped, by project and release
     get issue: Read an issue with its stack trace
     resolve issue: Resolve an issue
     ignore issue: Ignore an issue
     assign issue: Assign an issue
     list events: List the events of an issue
     get event: Read an event
     list releases: List releases
     create release: Create a release
     list alerts: List alert rules
     get project_stats: Counts of events`
  ],
  gitlab: [
    "GitLab",
    `create issue: Create an issue in a project
     list issues: List issues
     update issue: Change an issue
     create merge_request: Create a merge request
     list merge_requests: List merge requests
     merge merge_request: Merge a merge request
     approve merge_request: Approve a merge request
     add_merge_request comment: Comment on a merge request
     list pipelines: List the pipelines of a project by status
     get pipeline: Read a pipeline
     retry pipeline: Retry a pipeline
     get job_log: Read the log of a job
     create branch: Create a branch
     list branches: List branches
     get file: Read a file of a repository
     update file: Change a file of a repository
     list projects: List projects
     create project: Create a project
     search code: Search code in a group`
  ],
  intercom: [
    "Intercom",
    `list conversations: List conversations
     get conversation: Read a conversation
     reply_to conversation: Reply to a conversation
     close conversation: Close a conversation
     assign conversation: Assign a conversation
     create contact: Create a lead or user
     search contacts: Search leads and users
     update contact: Change a lead or user
     tag contact: Tag a lead or user
     create article: Create a help article
     list articles: List help articles
     send message: Send an in-app message`
  ],
  airtable: [
    "Airtable",
    `list bases: List bases
     get base_schema: Tables and fields of a base
     list records: List records of a table
     get record: Read a record of a table
     create records: Create records in a table
     update records: Change records of a table
     delete records: Delete records of a table
     create field: Create a field
     create table: Create a table
     list comments: List the comments of a record
     search records: Search records`
  ],
  zoom: [
    "Zoom",
    `create meeting: Schedule a video meeting
     get meeting: Read a video meeting
     list meetings: List video meetings
     update meeting: Change a video meeting
     delete meeting: Delete a video meeting
     list recordings: List cloud recordings
     get recording_transcript: Read the transcript of a recording
     list participants: List who took part in a meeting
     create webinar: Create a webinar
     list webinars: List webinars
     add registrant: Register a person for a webinar`
  ],
  confluence: [
    "Confluence",
    `search pages: Search pages with CQL
     get page: Read a page
     create page: Create a page in a space
     update page: Change a page
     delete page: Delete a page
     list spaces: List spaces
     add comment: Comment on a page
     list attachments: List the attachments of a page
     list children: List the child pages of a page
     add label: Add a label to a page`
  ],
  hubspotmarketing: [
    "HubSpot Marketing",
    `list forms: List forms
     list submissions: List submissions of a form
     list emails: List marketing emails
     send email: Send a marketing email
     create list: Create a contact list
     add_to list: Add contacts to a list
     get email_statistics: Opens and clicks of an email
     list campaigns: List campaigns
     list workflows: List workflows
     enroll contact: Enroll a contact in a workflow
     list landing_pages: List landing pages
     publish landing_page: Publish a landing page`
  ],
  figma: [
    "Figma",
    `get file: Read a design file
     list projects: List projects of a team
     list files: List the files of a project
     export image: Export a frame as an image
     list comments: List comments of a design
     add comment: Comment on a design
     list components: List components
     list versions: List versions of a design`
  ],
  bamboohr: [
    "BambooHR",
    `list employees: List employees
     get employee: Read an employee
     update employee: Change an employee
     add employee: Add an employee
     list time_off_requests: List requests for time off
     request time_off: Ask for time off
     approve time_off: Approve or deny a request for time off
     list whos_out: Who is out
     get time_off_balance: How many days off are left
     list job_openings: List job openings
     list applicants: List applicants`
  ],
  twilio: [
    "Twilio",
    `send sms: Send a text message
     list messages: List text messages
     make call: Make a phone call
     list calls: List phone calls
     lookup number: Look a phone number up
     buy number: Buy a phone number
     list numbers: List own phone numbers
     get recording: Read the recording of a call`
  ],
  snowflake: [
    "Snowflake",
    `run query: Run a statement on the warehouse
     list databases: List databases of the warehouse
     list schemas: List schemas of the warehouse
     list warehouses: List warehouses
     get query_history: Read the history of statements
     cancel query: Cancel a running statement
     load data: Load data from a stage
     create stage: Create a stage`
  ]
}

const hintsOf = (action: string) => {
  if (/^(delete|remove|trash|clear|cancel|archive|refund)/.test(action)) return hints.remove
  if (/^(send|reply|forward|make)/.test(action)) return hints.send
  if (/^(get|list|search|find|describe|query|explain|download|export|compare|lookup)/.test(action)) return hints.read
  if (/^(create|add|append|upload|invite|quick_add|fork)/.test(action)) return hints.create
  return hints.update
}

/** Tools as a large deployment would have them, but for these toolkits. */
export const catalogues = (without: ReadonlyArray<string>): ReadonlyArray<Searchable> =>
  Object.entries(services)
    .filter(([slug]) => !without.includes(slug))
    .flatMap(([slug, [name, tools]]) =>
      tools.split("\n").map((line) => {
        const [head = "", description = ""] = line.trim().split(": ", 2)
        const action = head.replaceAll(" ", "_")
        const words = action.replaceAll("_", " ")
        return {
          name: `${slug}_${action}`,
          title: words.charAt(0).toUpperCase() + words.slice(1),
          description,
          keywords: [],
          hints: hintsOf(action),
          toolkit: { slug, name }
        }
      })
    )
