import { zohoOAuth } from "../../simulation/ZohoOAuth.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/auth-request.html

export const oauth = zohoOAuth({
  name: "Zoho CRM",
  account: "Northwind Instruments",
  scope: /^(ZohoCRM\.[A-Za-z]+(\.[A-Za-z]+)*\.(ALL|READ|CREATE|UPDATE|DELETE|WRITE)|ZohoSearch\.securesearch\.READ)$/,
  granted: "ZohoCRM.modules.ALL ZohoCRM.settings.ALL ZohoCRM.users.READ ZohoCRM.org.READ ZohoCRM.coql.READ"
})
