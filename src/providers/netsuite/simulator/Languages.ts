import type { Account } from "../../simulation/Account.ts"
import type { Complaint } from "./Answers.ts"

// NetSuite answers in the language that its user prefers: names of states, labels of fields, titles of records, error texts.
// Ids, letters of states, codes and paths are the same in all. What is not listed here stays English, as untranslated forms do.

const languages = ["de", "it", "ja"] as const
type Language = (typeof languages)[number]

/** The language of the account's user; undefined for English. A test puts the feature `language` `{is: "de"}`. */
const languageOf = (account: Account): Language | undefined =>
  languages.find((one) => one === account.get("feature", "language")?.is)

type Words = { readonly [english: string]: readonly [de: string, it: string, ja: string] }

const states: Words = {
  Open: ["Offen", "Aperta", "未決済"],
  "Paid In Full": ["Vollständig bezahlt", "Pagata interamente", "全額支払済"],
  "Pending Approval": ["Genehmigung ausstehend", "In attesa di approvazione", "承認待ち"],
  Approved: ["Genehmigt", "Approvato", "承認済"],
  Rejected: ["Abgelehnt", "Rifiutato", "却下"],
  Voided: ["Storniert", "Annullata", "無効"],
  Cancelled: ["Abgebrochen", "Cancellato", "キャンセル"],
  "Payment In-Transit": ["Zahlung unterwegs", "Pagamento in transito", "支払処理中"],
  "Fully Applied": ["Vollständig angewendet", "Applicata interamente", "全額充当済"],
  "Not Deposited": ["Nicht eingezahlt", "Non versato", "未入金"],
  Deposited: ["Eingezahlt", "Versato", "入金済"],
  "Pending Supervisor Approval": ["Vorgesetzter muss genehmigen", "In attesa del supervisore", "上司の承認待ち"],
  "Pending Accounting Approval": ["Buchhaltung muss genehmigen", "In attesa della contabilità", "経理の承認待ち"],
  "Rejected by Supervisor": ["Vom Vorgesetzten abgelehnt", "Rifiutato dal supervisore", "上司が却下"],
  "Rejected by Accounting": ["Von Buchhaltung abgelehnt", "Rifiutato dalla contabilità", "経理が却下"],
  "Approved by Accounting": ["Von Buchhaltung genehmigt", "Approvato dalla contabilità", "経理が承認"],
  "In Progress": ["In Bearbeitung", "In corso", "処理中"],
  "Pending Receipt": ["Eingang ausstehend", "In attesa di ricezione", "受領待ち"],
  "Partially Received": ["Teilweise eingegangen", "Ricevuto parzialmente", "一部受領"],
  "Pending Bill": ["Rechnung ausstehend", "In attesa di fattura", "請求待ち"],
  "Pending Billing/Partially Received": [
    "Abrechnung ausstehend/Teileingang",
    "Da fatturare/Ricevuto in parte",
    "請求待ち/一部受領"
  ],
  "Fully Billed": ["Vollständig abgerechnet", "Fatturato interamente", "請求完了"],
  Closed: ["Geschlossen", "Chiuso", "クローズ"],
  "Pending Fulfillment": ["Ausführung ausstehend", "In attesa di evasione", "配送待ち"],
  "Partially Fulfilled": ["Teilweise ausgeführt", "Evaso parzialmente", "一部配送"],
  "Pending Billing": ["Abrechnung ausstehend", "In attesa di fatturazione", "請求待ち"],
  "Pending Billing/Partially Fulfilled": [
    "Abrechnung ausstehend/Teilausführung",
    "Da fatturare/Evaso in parte",
    "請求待ち/一部配送"
  ],
  Billed: ["Abgerechnet", "Fatturato", "請求済"],
  Picked: ["Kommissioniert", "Prelevato", "ピック済"],
  Packed: ["Verpackt", "Imballato", "梱包済"],
  Shipped: ["Versandt", "Spedito", "出荷済"]
}

const titles: Words = {
  Invoice: ["Rechnung", "Fattura", "請求書"],
  "Credit Memo": ["Gutschrift", "Nota di credito", "クレジットメモ"],
  Payment: ["Zahlung", "Pagamento", "入金"],
  Bill: ["Lieferantenrechnung", "Fattura fornitore", "支払請求書"],
  "Bill Credit": ["Lieferantengutschrift", "Nota di credito fornitore", "支払請求書クレジット"],
  "Bill Payment": ["Lieferantenzahlung", "Pagamento fornitore", "支払"],
  "Purchase Order": ["Bestellung", "Ordine d'acquisto", "発注書"],
  "Sales Order": ["Kundenauftrag", "Ordine cliente", "注文書"],
  Journal: ["Journalbuchung", "Registrazione", "仕訳"],
  "Expense Report": ["Spesenabrechnung", "Nota spese", "経費報告書"],
  "Item Fulfillment": ["Artikelausführung", "Evasione articolo", "配送"]
}

const labels: Words = {
  "Company Name": ["Firmenname", "Ragione sociale", "会社名"],
  "Individual Name": ["Name der Person", "Nome individuale", "個人名"],
  Entity: ["Name", "Nome", "名前"],
  Customer: ["Kunde", "Cliente", "顧客"],
  Vendor: ["Lieferant", "Fornitore", "仕入先"],
  Account: ["Konto", "Conto", "勘定科目"],
  Amount: ["Betrag", "Importo", "金額"],
  Item: ["Artikel", "Articolo", "アイテム"],
  "Item Id": ["Artikelname", "Nome articolo", "アイテム名"],
  Name: ["Bezeichnung", "Denominazione", "名称"],
  "Last Name": ["Nachname", "Cognome", "姓"],
  Subsidiary: ["Tochtergesellschaft", "Consociata", "子会社"],
  "Days Till Net Due": ["Tage bis fällig", "Giorni alla scadenza", "支払期限日数"],
  "Payment Amount": ["Zahlungsbetrag", "Importo pagamento", "支払額"]
}

/** Error texts, of which `{}` is what differs. */
const sentences: Words = {
  "Error while accessing resource: {}": [
    "Fehler beim Zugriff auf die Ressource: {}",
    "Errore durante l'accesso alla risorsa: {}",
    "リソースへのアクセス中にエラーが発生しました。{}"
  ],
  "Please enter value(s) for: {}": [
    "Bitte geben Sie Werte ein für: {}",
    "Immettere uno o più valori per: {}",
    "値を入力してください：{}"
  ],
  "The transaction date you specified is not within the date range of your accounting period.": [
    "Das angegebene Transaktionsdatum liegt nicht in Ihrer Buchungsperiode.",
    "La data della transazione specificata non rientra nel periodo contabile.",
    "指定した取引日は会計期間の範囲外です。"
  ],
  "You must enter at least one line item for this transaction.": [
    "Sie müssen mindestens eine Position für diese Transaktion eingeben.",
    "Immettere almeno una voce per questa transazione.",
    "この取引には少なくとも1つの明細が必要です。"
  ],
  "This record cannot be deleted because it has dependent records.": [
    "Dieser Datensatz kann nicht gelöscht werden, da abhängige Datensätze vorhanden sind.",
    "Impossibile eliminare il record perché ha record dipendenti.",
    "依存レコードがあるため、このレコードは削除できません。"
  ],
  "You have entered an Invalid Field Value {}": [
    "Sie haben einen ungültigen Feldwert eingegeben: {}",
    "Valore di campo non valido: {}",
    "無効なフィールド値です：{}"
  ]
}

const words: Words = { ...labels, ...titles, ...states }

/** A name or label in the language of the account's user. */
export const inLanguage = (account: Account, english: string): string => {
  const language = languageOf(account)
  const said = language === undefined ? undefined : words[english]
  return said?.[languages.findIndex((one) => one === language)] ?? english
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const patterns = Object.entries(sentences).map(([english, others]) => {
  const [before = "", after] = english.split("{}")
  return { pattern: new RegExp(`^${escaped(before)}${after === undefined ? "" : "([\\s\\S]*)"}$`), others }
})

/** An error text in a language; what it names is a list of labels or another sentence. */
const translated = (account: Account, text: string): string => {
  for (const { others, pattern } of patterns) {
    const found = pattern.exec(text)
    if (found === null) continue
    const said = others[languages.findIndex((one) => one === languageOf(account))] ?? text
    return said.replace("{}", () => translated(account, found[1] ?? ""))
  }
  return text
    .split(", ")
    .map((label) => inLanguage(account, label))
    .join(", ")
}

export const complaintIn = (account: Account, complaint: Complaint): Complaint =>
  languageOf(account) === undefined ? complaint : { ...complaint, detail: translated(account, complaint.detail) }
