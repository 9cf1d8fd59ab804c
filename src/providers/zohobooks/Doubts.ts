import type { Doubt } from "../Doubt.ts"

const introduction = "https://www.zoho.com/books/api/v3/introduction/"

export const doubts: ReadonlyArray<Doubt> = [
  {
    assumed: "Version 3 of the API is supported; no end of it is announced, though version 4 is documented",
    otherwise: "Calls answer 404; the version stands once, in `Records.ts`",
    source: introduction
  },
  {
    assumed: "A token that is not good is 401 with code 14, a missing scope or right 401 with code 57",
    otherwise: "Any other 401 has the connection's token renewed, and then asks for reconnecting",
    source: "https://www.zoho.com/books/api/v3/errors/"
  },
  {
    assumed:
      "A 429 has code 44 for the minute, 45 for the day and 1070 for calls at the same time, and no `Retry-After`",
    otherwise: "The organisation is left alone as long as it says, or else for a second",
    source: introduction
  },
  {
    assumed: "Lists take `sort_order=A` with `sort_column`, and keep their order among equals",
    otherwise: "A walk through a list that changes may show a record twice or leave one out",
    source: "https://www.zoho.com/books/api/v3/pagination/"
  },
  {
    assumed: "A PUT leaves the members alone that it does not name, and an empty text clears one",
    otherwise: "A PATCH clears fields that it leaves out, or a cleared field stays",
    source: "https://www.zoho.com/books/api/v3/contacts/#update-a-contact"
  },
  {
    assumed: "Accounts of income, expense, equity, stock and fixed assets are in the currency of the organisation",
    otherwise: "An account in another currency reads as one in the organisation's own",
    source: "https://www.zoho.com/books/api/v3/chart-of-accounts/"
  },
  {
    assumed:
      "Items tell `purchase_rate`, `account_id`, `purchase_account_id`, `item_type` and stamps, which the OpenAPI description leaves out of answers",
    otherwise: "They read as null",
    source: "https://www.zoho.com/books/api/v3/items/"
  },
  {
    assumed:
      "Payments and expenses tell when they were made and changed, and expenses and journals take an id on lines that stay, beyond the OpenAPI description",
    otherwise: "The stamps read as null, and lines of an update are made again",
    source: "https://www.zoho.com/books/api/v3/expenses/"
  },
  {
    assumed:
      "Where amounts contain tax, a line says `item_total_inclusive_of_tax`, or comes to its price times its quantity",
    otherwise: "`total_amount` of such lines is without the tax",
    source: "https://www.zoho.com/books/api/v3/invoices/"
  },
  {
    assumed: "A discount of a line is taken off its `item_total`",
    otherwise: "The lines of such documents come to more than `sub_total`",
    source: "https://www.zoho.com/books/api/v3/invoices/"
  },
  {
    assumed:
      "`/invoices/{id}/payments` and `/creditsapplied` list what `payment_made` and `credits_applied` sum up, and `invoices_credited` of a credit note has `credited_amount`, `amount_applied` or `amount`",
    otherwise: "Applied payments and credits of invoices are empty, or have no amount",
    source: "https://www.zoho.com/books/api/v3/invoices/#list-credits-applied"
  },
  {
    assumed:
      "`fiscal_year_start_month` counts from 1 where it is a text, as in recorded answers, and from 0 where it is a number",
    otherwise: "The end of the fiscal year is a month off",
    source: "https://www.zoho.com/books/api/v3/organizations/"
  },
  {
    assumed: "Tax numbers of contacts stand in a member for each country's edition",
    otherwise: "They are not read: `integration_params` write them",
    source: "https://www.zoho.com/books/api/v3/contacts/#create-a-contact"
  },
  {
    assumed:
      "An invoice takes `discount` as an amount with `discount_type` `entity_level`, after tax where `is_discount_before_tax` is false",
    otherwise: "An organisation that gives no discounts on whole transactions ignores it, which a warning then says",
    source: "https://www.zoho.com/books/api/v3/invoices/#create-an-invoice"
  },
  {
    assumed: "Lists compare texts (`contact_name_startswith`, `invoice_number_startswith`) whatever the case",
    otherwise: "A list by a name, an e-mail address or a number leaves out what is written in another case",
    source: "https://www.zoho.com/books/api/v3/contacts/#list-contacts"
  },
  {
    assumed:
      "Lists of credit notes and customer payments take `date_start` and `date_end`, and credit notes `creditnote_number_startswith`, as Zoho's own client libraries have them, or ignore them",
    otherwise: "Lists by them fail in Zoho's words",
    source: "https://github.com/zoho/books-java-wrappers"
  },
  {
    assumed: "A `status` of invoices, bills and credit notes means those that show this status",
    otherwise: "A list by a single status leaves some out",
    source: "https://www.zoho.com/books/api/v3/invoices/#list-invoices"
  },
  {
    assumed: "`last_modified_time` brings what was changed since, at the latest from the next second on",
    otherwise: "A sync of invoices, bills, orders, journals and accounts misses changes",
    source: "https://www.zoho.com/books/api/v3/invoices/#list-invoices"
  }
]
