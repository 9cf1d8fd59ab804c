import { zohoOAuth } from "../../simulation/ZohoOAuth.ts"

// https://www.zoho.com/books/api/v3/oauth/

export const oauth = zohoOAuth({
  name: "Zoho Books",
  account: "Meridian Kitchens",
  scope: /^ZohoBooks\.(?:fullaccess\.all|[a-z]+\.(?:ALL|READ|CREATE|UPDATE|DELETE))$/,
  granted: "ZohoBooks.fullaccess.all"
})
