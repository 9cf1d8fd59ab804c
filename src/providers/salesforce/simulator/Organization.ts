import {
  address,
  area,
  combobox,
  datetime,
  email,
  fixed,
  flag,
  nothing,
  number,
  personName,
  phone,
  picklist,
  reference,
  required,
  sObject,
  stamps,
  text,
  url,
  views
} from "./Fields.ts"

// The organisation and its users.

export const user = sObject({
  name: "User",
  can: { create: false, update: true, delete: false },
  fields: [
    required(text("Username", 80)),
    ...personName.filter(({ code }) => code !== "Salutation"),
    text("CompanyName", 80),
    text("Division", 80),
    text("Department", 80),
    text("Title", 80),
    ...address(""),
    required(email("Email", { length: 128 })),
    area("Signature", 1333),
    phone("Phone"),
    phone("Fax"),
    phone("MobilePhone"),
    required(text("Alias", 8)),
    required(text("CommunityNickname", 40)),
    flag("IsActive", true),
    picklist("TimeZoneSidKey", ["America/Los_Angeles", "Europe/Berlin", "Europe/London", "Asia/Tokyo"]),
    picklist("LocaleSidKey", ["en_US", "en_GB", "de_DE", "ja_JP"]),
    picklist("EmailEncodingKey", ["UTF-8", "ISO-8859-1"]),
    picklist("LanguageLocaleKey", ["en_US", "de", "ja"]),
    fixed(
      picklist("UserType", [
        "Standard",
        "PowerPartner",
        "CspLitePortal",
        "CustomerSuccess",
        "AutomatedProcess",
        "CloudIntegrationUser"
      ])
    ),
    text("EmployeeNumber", 20),
    combobox("Extension", []),
    reference("ManagerId", ["User"]),
    fixed(datetime("LastLoginDate")),
    ...stamps,
    text("FederationIdentifier", 512),
    area("AboutMe", 1000),
    fixed(url("FullPhotoUrl")),
    fixed(url("SmallPhotoUrl")),
    ...views
  ]
})

export const organization = sObject({
  name: "Organization",
  can: nothing,
  fields: [
    text("Name", 80),
    text("Division", 80),
    ...address(""),
    phone("Phone"),
    phone("Fax"),
    text("PrimaryContact", 80),
    picklist("DefaultLocaleSidKey", ["en_US"]),
    picklist("TimeZoneSidKey", ["America/Los_Angeles"]),
    picklist("LanguageLocaleKey", ["en_US"]),
    number("FiscalYearStartMonth", "int"),
    flag("UsesStartDateAsFiscalYearName"),
    picklist("OrganizationType", ["Developer Edition", "Enterprise Edition"]),
    text("NamespacePrefix", 15),
    text("InstanceName", 5),
    flag("IsSandbox"),
    flag("IsReadOnly"),
    datetime("TrialExpirationDate"),
    ...stamps
  ].map((one) => (one.compute === undefined ? fixed(one) : one))
})
