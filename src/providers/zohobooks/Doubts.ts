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
    assumed:
      "An account stands beside `code` in the answer to a read, and a tax in a list, as the OpenAPI description has it",
    otherwise: "Both are found under the module's name as well",
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
      "A list of customer payments stands under `customer_payments`, as the OpenAPI description has it, or `customerpayments`, as its path",
    otherwise: "Lists of payments fail as malformed",
    source: "https://www.zoho.com/books/api/v3/customer-payments/#list-customer-payments"
  },
  {
    assumed: "`item_total` of a line is its price times its quantity, in documents whose amounts have tax in them too",
    otherwise: "`total_amount` of such lines is without the tax",
    source: "https://www.zoho.com/books/api/v3/invoices/"
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
