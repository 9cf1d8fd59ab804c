// Person accounts, which an organisation may have: an account and a contact that are one person. The contact is their people's
// record, so lists of companies leave them out; a deal or a contact may still name one as its account, which is read and changed by
// its id. The name is made of the contact's, and neither half takes the other's id, not even unchanged.
// https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_guidelines_personaccounts.htm

/** On accounts and contacts, in an organisation that has person accounts. */
export const isPerson = "IsPersonAccount"

/** The contact of an account that is a person. */
export const personContact = "PersonContactId"
