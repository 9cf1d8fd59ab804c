import { map, type NonEmptyReadonlyArray } from "effect/Array"

/** A name as written and, where letters differ, in the letters of an email address. */
export type Written = string | readonly [written: string, latin: string]

export interface Locale {
  readonly country: string
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string
  readonly firsts: NonEmptyReadonlyArray<Written>
  readonly lasts: NonEmptyReadonlyArray<Written>
  readonly titles: ReadonlyArray<string>
  readonly companies: ReadonlyArray<Written>
  /** Ending of a made-up company's name. */
  readonly form: string
  readonly cities: NonEmptyReadonlyArray<readonly [city: string, region: string, postal: string]>
  /** `#` is the house number. */
  readonly streets: NonEmptyReadonlyArray<string>
  /** `#` is a digit. Numbers that countries keep for fiction, where they do. */
  readonly phone: string
  readonly mobile: string
}

const words = (text: string): NonEmptyReadonlyArray<string> => {
  const [first = "", ...rest] = text.split(", ")
  return [first, ...rest]
}

const pairs = (text: string): NonEmptyReadonlyArray<Written> =>
  map(words(text), (pair): Written => {
    const [written = "", latin = ""] = pair.split("=")
    return [written, latin]
  })

const unitedStates: Locale = {
  country: "United States",
  countryCode: "US",
  firsts: words(
    "Olivia, Marcus, Denise, Tyrone, Hannah, Caleb, Priscilla, Wade, Imani, Gregory, Naomi, Curtis, Leah, Dwayne, Sofia, Evan"
  ),
  lasts: words(
    "Hartwell, Delgado, Okafor, Brennan, Whitaker, Nguyen, Castellano, Fitzpatrick, O'Brien, Larkin, Redmond, Sandoval, Kowalczyk, Mercer, Tran, Ellison"
  ),
  titles: [],
  companies: words(
    "Harborline Freight, Juniper & Oak Interiors, Bluestem Analytics, Cascadia Fasteners, Redwood Health Partners, Lonestar Grid Services, Pine Hollow Foods, Meridian Dental Group, Copperfield Robotics, Great Lakes Packaging, Silver Birch Capital, Tidewater Marine Supply, Quarry Street Media, Highline Roofing, Northgate Learning, Prairie Sun Energy"
  ),
  form: "LLC",
  cities: [
    ["Portland", "OR", "97205"],
    ["Austin", "TX", "78701"],
    ["Milwaukee", "WI", "53202"],
    ["Boston", "MA", "02110"],
    ["Denver", "CO", "80202"]
  ],
  streets: ["# Alder Street", "# Commerce Avenue, Suite 400", "# Mill Road", "# East 5th Street"],
  phone: "+1 503-555-01##",
  mobile: "+1 971-555-01##"
}

const germany: Locale = {
  country: "Germany",
  countryCode: "DE",
  firsts: words("Jürgen, Anneliese, Björn, Käthe, Matthias, Ulrike, Sören, Heike, Tobias, Zoë, Günther, Lena"),
  lasts: words(
    "Müller-Brandt, Größmann, Schäfer, Weiß, Kühn, Vogelsang, von der Heide, Böttcher, Hoffmann, Lindemann, Jäger, Strauß"
  ),
  titles: ["Geschäftsführerin", "Leiter Einkauf", "Vertriebsleiter"],
  companies: words("Nordwind Logistik, Bäckerei Größmann, Rheintal Maschinenbau, Kühn & Söhne Elektrotechnik"),
  form: "GmbH",
  cities: [
    ["München", "Bayern", "80331"],
    ["Köln", "Nordrhein-Westfalen", "50667"],
    ["Lübeck", "Schleswig-Holstein", "23552"]
  ],
  streets: ["Lindenstraße #", "Am Güterbahnhof #", "Königsallee #"],
  phone: "+49 30 23125 ###",
  mobile: "+49 171 39200##"
}

const france: Locale = {
  country: "France",
  countryCode: "FR",
  firsts: words(
    "Chloé, Jean-Luc, Amélie, François, Hélène, Aurélien, Maïwenn, Étienne, Solène, Rémi, Noëlle, Guillaume"
  ),
  lasts: words(
    "Lefèvre, D'Aubigné, Dubois, Béranger, Crépeau, Garçon, Lemaître, Deschênes, Pélissier, Moreau, Fournier, Château"
  ),
  titles: ["Directrice des achats", "Chef de projet", "Responsable comptabilité"],
  companies: words("Atelier Deschênes, Vignobles Béranger, Crémerie du Vieux Port, Lumière & Fils Éclairage"),
  form: "SARL",
  cities: [
    ["Lyon", "Auvergne-Rhône-Alpes", "69002"],
    ["Saint-Étienne", "Auvergne-Rhône-Alpes", "42000"],
    ["Nîmes", "Occitanie", "30000"]
  ],
  streets: ["# rue de la République", "# avenue des Frères-Lumière", "# quai Saint-Antoine"],
  phone: "+33 1 99 00 ## ##",
  mobile: "+33 6 39 98 ## ##"
}

const unitedKingdom: Locale = {
  country: "United Kingdom",
  countryCode: "GB",
  firsts: words("Siân, Alistair, Imogen, Rhys, Gemma, Hamish, Niamh, Oliver, Zainab, Callum, Beatrice, Kwame"),
  lasts: words(
    "Ap Gwilym, MacLeod, Thistlewood, O'Connell, Pemberton, Achebe, Hussain, Featherstone, Llewellyn, Marsh, Osei, Blackwood"
  ),
  titles: ["Managing Director", "Company Secretary"],
  companies: words("Thistlewood Textiles, Pennine Instruments, Harrow & Finch Publishing, Solent Rope Works"),
  form: "Ltd",
  cities: [
    ["Leeds", "West Yorkshire", "LS1 4DY"],
    ["Bristol", "", "BS1 5TR"],
    ["Edinburgh", "Scotland", "EH3 9AA"]
  ],
  streets: ["# Wharf Lane", "Unit #, Canal Street", "# St. Andrew's Road"],
  phone: "+44 20 7946 0###",
  mobile: "+44 7700 900###"
}

const spain: Locale = {
  country: "Spain",
  countryCode: "ES",
  firsts: words("Íñigo, Begoña, José María, Nuria, Álvaro, Inés, Raúl, Concepción, Martín, Ximena, Óscar, Lucía"),
  lasts: words(
    "Núñez Ibáñez, García Peña, Muñoz, Echevarría, Fernández, Vázquez, Ordóñez, Castaño, Sáenz, Güell, Roldán, Cebrián"
  ),
  titles: ["Directora General", "Jefe de compras"],
  companies: words("Aceites Peña Alta, Construcciones Ibáñez, Mariscos Rías Baixas, Cerámicas La Muñeca"),
  form: "S.L.",
  cities: [
    ["A Coruña", "Galicia", "15003"],
    ["Málaga", "Andalucía", "29005"],
    ["Logroño", "La Rioja", "26001"]
  ],
  streets: ["Calle Mayor #", "Avenida de la Constitución #", "Plaza de España #, 2º B"],
  phone: "+34 910 200 ###",
  mobile: "+34 600 100 ###"
}

const poland: Locale = {
  country: "Poland",
  countryCode: "PL",
  firsts: words("Łukasz, Małgorzata, Zbigniew, Agnieszka, Paweł, Żaneta, Grzegorz, Świętosława, Michał, Kinga"),
  lasts: words(
    "Wiśniewski, Dąbrowska, Żółtowski, Krawczyk, Szymański, Łęcki, Gąsiorowska, Brzęczyszczykiewicz, Nowak, Jabłońska"
  ),
  titles: ["Dyrektor handlowy", "Główna księgowa"],
  companies: words("Huta Szkła Łęcki, Meble Dąbrowska, Transport Żółtowski, Piekarnia Pod Orłem"),
  form: "Sp. z o.o.",
  cities: [
    ["Łódź", "Łódzkie", "90-001"],
    ["Kraków", "Małopolskie", "31-042"],
    ["Gdańsk", "Pomorskie", "80-831"]
  ],
  streets: ["ul. Piotrkowska #", "ul. Świętej Anny #", "al. Jana Pawła II #"],
  phone: "+48 22 100 00 ##",
  mobile: "+48 600 100 ###"
}

const japan: Locale = {
  country: "Japan",
  countryCode: "JP",
  firsts: pairs(
    "陽子=yoko, 健太=kenta, さくら=sakura, 大輔=daisuke, 美咲=misaki, 翔=sho, 由美子=yumiko, 誠=makoto, 葵=aoi, 隆=takashi"
  ),
  lasts: pairs(
    "佐藤=sato, 鈴木=suzuki, 高橋=takahashi, 渡辺=watanabe, 小林=kobayashi, 松本=matsumoto, 斎藤=saito, 山口=yamaguchi, 森=mori, 長谷川=hasegawa"
  ),
  titles: ["営業部長", "購買担当", "代表取締役"],
  companies: pairs(
    "株式会社青空精機=aozora-seiki, 松本酒造=matsumoto-shuzo, 東海ロジスティクス=tokai-logistics, さくら製菓=sakura-seika"
  ),
  form: "株式会社",
  cities: [
    ["大阪市", "大阪府", "530-0001"],
    ["Tokyo", "東京都", "100-0005"],
    ["名古屋市", "愛知県", "450-0002"]
  ],
  streets: ["丸の内#丁目2-1", "中央区本町#-4", "梅田#番地"],
  phone: "+81 3-0000-01##",
  mobile: "+81 90-0000-01##"
}

const brazil: Locale = {
  country: "Brazil",
  countryCode: "BR",
  firsts: words("João, Conceição, Thaís, Antônio, Letícia, Caetano, Luíza, Vinícius, Débora, Sebastião"),
  lasts: words("da Conceição, Gonçalves, Magalhães, Araújo, Brandão, dos Anjos, Simões, Patrício, Falcão, Assunção"),
  titles: ["Gerente de operações", "Sócia-diretora"],
  companies: words("Café Serra da Canastra, Têxtil Araújo, Construtora Brandão, Laboratório São Gonçalo"),
  form: "Ltda.",
  cities: [
    ["São Paulo", "SP", "01310-100"],
    ["Florianópolis", "SC", "88010-400"],
    ["Belém", "PA", "66010-000"]
  ],
  streets: ["Rua da Consolação, #", "Avenida Brasília, #", "Praça da Sé, # - sala 12"],
  phone: "+55 11 2000-01##",
  mobile: "+55 11 90000-01##"
}

const sweden: Locale = {
  country: "Sweden",
  countryCode: "SE",
  firsts: words("Åsa, Göran, Märta, Björn, Annika, Östen, Linnéa, Håkan, Saga, Torbjörn"),
  lasts: words("Sjöström, Åkesson, Lindqvist, Öberg, Ångström, Bergström, Hällgren, Nyström, Ekdahl, Löfgren"),
  titles: ["Inköpschef", "VD"],
  companies: words("Sjöström Trävaru, Polarljus Energi, Ångkvarn Livsmedel, Hällgren Verktyg"),
  form: "AB",
  cities: [
    ["Göteborg", "Västra Götaland", "411 06"],
    ["Malmö", "Skåne", "211 22"],
    ["Umeå", "Västerbotten", "903 26"]
  ],
  streets: ["Storgatan #", "Östra Hamngatan #", "Järntorget #"],
  phone: "+46 8 465 004 ##",
  mobile: "+46 70 174 06 ##"
}

const india: Locale = {
  country: "India",
  countryCode: "IN",
  firsts: words("Ananya, Rajesh, Lakshmi, Vikram, Meera, Arjun, Kavita, Sanjay, Divya, Harish"),
  lasts: words(
    "Krishnamurthy, Iyer, Chatterjee, Deshpande, Kaur, Venkataraman, Bhattacharya, Patel, Raghunathan, Menon"
  ),
  titles: [],
  companies: words("Deccan Software Works, Malabar Spice Exports, Sahyadri Pharma, Ganga Textiles"),
  form: "Pvt Ltd",
  cities: [
    ["Bengaluru", "Karnataka", "560001"],
    ["Pune", "Maharashtra", "411001"],
    ["Kochi", "Kerala", "682011"]
  ],
  streets: ["#, MG Road", "Plot #, Industrial Estate Phase II", "#/2 Temple Street"],
  phone: "+91 80 4000 01##",
  mobile: "+91 90000 001##"
}

const greece: Locale = {
  country: "Greece",
  countryCode: "GR",
  firsts: pairs(
    "Ελένη=eleni, Γιώργος=giorgos, Κατερίνα=katerina, Νίκος=nikos, Δέσποινα=despina, Σταύρος=stavros, Ιωάννα=ioanna, Θανάσης=thanasis"
  ),
  lasts: pairs(
    "Παπαδοπούλου=papadopoulou, Οικονόμου=oikonomou, Βασιλείου=vasileiou, Αγγελόπουλος=angelopoulos, Δημητρίου=dimitriou, Καραγιάννης=karagiannis, Μακρής=makris, Ψαρράς=psarras"
  ),
  titles: ["Διευθυντής πωλήσεων", "Λογίστρια"],
  companies: pairs(
    "Ελαιώνες Καλαμάτας=elaiones-kalamatas, Ναυτιλιακή Αιγαίου=naftiliaki-aigaiou, Μάρμαρα Πεντέλης=marmara-pentelis, Κεραμική Σίφνου=keramiki-sifnou"
  ),
  form: "Α.Ε.",
  cities: [
    ["Αθήνα", "Αττική", "105 57"],
    ["Θεσσαλονίκη", "Κεντρική Μακεδονία", "546 24"]
  ],
  streets: ["Ερμού #", "Λεωφόρος Κηφισίας #", "Πανεπιστημίου #"],
  phone: "+30 210 000 01##",
  mobile: "+30 690 000 01##"
}

const turkey: Locale = {
  country: "Türkiye",
  countryCode: "TR",
  firsts: words("Ayşe, İbrahim, Gülşen, Oğuz, Zeynep, Çağrı, Işıl, Ömer, Nilüfer, Şükrü"),
  lasts: words("Yıldız, Öztürk, Çelik, Şahin, Kılıç, Güneş, Aydoğan, Topçu, Ünal, Işık"),
  titles: ["Genel Müdür", "Satın alma uzmanı"],
  companies: words("Boğaziçi Gıda, Çelik Yapı, Işık Elektronik, Güneş Tekstil"),
  form: "A.Ş.",
  cities: [
    ["İstanbul", "İstanbul", "34430"],
    ["İzmir", "İzmir", "35210"],
    ["Eskişehir", "Eskişehir", "26010"]
  ],
  streets: ["İstiklal Caddesi No: #", "Atatürk Bulvarı No: #", "Gülbahar Sokak No: #"],
  phone: "+90 212 000 01 ##",
  mobile: "+90 500 000 01 ##"
}

/** Where companies sit, in turn. */
export const locales: NonEmptyReadonlyArray<Locale> = [
  unitedStates,
  germany,
  unitedStates,
  france,
  unitedKingdom,
  unitedStates,
  spain,
  poland,
  japan,
  unitedStates,
  brazil,
  sweden,
  india,
  greece,
  turkey
]
