/**
 * Members that answers of real accounts hold without a value in every record that was seen, by module. Names of texts are
 * separated by blanks; lists and objects are empty.
 */
interface Blanks {
  readonly texts: string
  readonly lists?: string
  readonly objects?: string
}

/** A module's blanks in a single record, and in a list. */
interface Untidy {
  readonly one: Blanks
  readonly list: Blanks
}

const named = (names: string | undefined, value: () => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries((names ?? "").split(" ").flatMap((name) => (name === "" ? [] : [[name, value()] as const])))

/** The members of blanks, for records to lie over. */
export const blanksOf = ({ lists, objects, texts }: Blanks): Readonly<Record<string, unknown>> => ({
  ...named(texts, () => ""),
  ...named(lists, () => []),
  ...named(objects, () => ({}))
})

export const untidy: { readonly [module: string]: Untidy } = {
  contacts: {
    one: {
      texts:
        "account_id account_name approver_id consent_date contact_category contact_relation_type " +
        "contact_salutation contact_tax_information crm_owner_id department designation exchange_rate " +
        "facebook invited_by language_code opening_balance_amount_bcy owner_id owner_name photo_url " +
        "pricebook_id pricebook_name primary_contact_id submitted_by submitted_by_email " +
        "submitted_by_name submitted_by_photo_url submitted_date submitter_id tax_id_type tax_reg_label " +
        "twitter zcrm_account_id zcrm_contact_id zohopeople_client_id",
      lists:
        "addresses approvers_list bank_accounts cards checks custom_fields documents " +
        "integration_references locked_actions opening_balances tags upi_mandates vpa_list",
      objects: "custom_field_hash"
    },
    list: {
      texts: "facebook language_code twitter",
      lists: "contactperson_custom_fields custom_fields tags",
      objects: "custom_field_hash"
    }
  },
  chartofaccounts: {
    one: { texts: "parent_account_name", lists: "custom_fields documents" },
    list: { texts: "child_count parent_account_name", lists: "documents" }
  },
  items: {
    one: {
      texts:
        "associated_template_id attribute_name1 attribute_name2 attribute_name3 attribute_option_name1 " +
        "attribute_option_name2 attribute_option_name3 brand crm_owner_id default_hosted_page_url " +
        "image_name image_type is_tax_expired manufacturer maximum_order_quantity minimum_order_quantity " +
        "offline_created_date_with_time product_subtype purchase_account_name purchase_tax_information " +
        "purpose_of_use sales_margin tax_country_code tax_end_date tax_groups_details tax_information " +
        "tax_start_date tax_status tax_type zcrm_product_id",
      lists: "custom_fields documents integration_references locked_actions price_brackets sales_channels tags",
      objects: "custom_field_hash item_code locked_fields"
    },
    list: {
      texts: "image_document_id image_name image_type product_subtype purpose_of_use vendor_name zcrm_product_id",
      lists: "tags"
    }
  },
  invoices: {
    one: {
      texts:
        "account_identifier adjustment_account_name approver_id attachment_name bcy_shipping_charge_tax " +
        "channel_invoice_id client_viewed_time color_code contact_category current_sub_status_id " +
        "discount_account_id discount_account_name early_payment_discount_due_days ecomm_operator_id " +
        "ecomm_operator_name estimate_id is_backorder last_reminder_sent_date merchant_id merchant_name " +
        "offline_created_date_with_time payment_expected_date payment_terms_id recurring_invoice_id " +
        "salesorder_number salesperson_id salesperson_name schedule_time shipping_charge_account_id " +
        "shipping_charge_account_name shipping_charge_tax shipping_charge_tax_exemption_code " +
        "shipping_charge_tax_exemption_id shipping_charge_tax_name shipping_charge_tax_percentage " +
        "shipping_charge_tax_type subject_content submitted_by submitted_by_email submitted_by_name " +
        "submitted_by_photo_url submitted_date submitter_id zcrm_potential_id zcrm_potential_name",
      lists:
        "approvers_list contact_persons_associated contact_persons_details custom_fields " +
        "customer_custom_fields deliverychallans documents exceptions exchange_invoices " +
        "in_process_payments invoice_installments locked_actions retention_items salesorders " +
        "shipping_bills shipping_charge_taxes sub_statuses tags taxes",
      objects: "custom_field_hash customer_custom_field_hash"
    },
    list: {
      texts:
        "client_viewed_time color_code current_sub_status_id documents last_reminder_sent_date " +
        "payment_expected_date project_name salesperson_id salesperson_name schedule_time " +
        "zcrm_potential_id zcrm_potential_name",
      lists: "custom_fields tags",
      objects: "custom_field_hash"
    }
  },
  bills: {
    one: {
      texts:
        "adjustment_account_name approver_id attachment_name bill_order_type client_viewed_time " +
        "color_code contact_category current_sub_status_id discount_account_id discount_account_name " +
        "due_by_days payment_expected_date recurring_bill_id reference_id scanned_po_id " +
        "scanned_po_number subject_content submitted_by submitted_by_email submitted_by_name " +
        "submitted_by_photo_url submitted_date submitter_id",
      lists:
        "allocated_landed_costs approvers_list custom_fields documents purchaseorders retention_items " +
        "sub_statuses tags taxes unallocated_landed_costs",
      objects: "custom_field_hash"
    },
    list: { texts: "attachment_name client_viewed_time color_code current_sub_status_id", lists: "tags" }
  },
  creditnotes: {
    one: {
      texts:
        "adjustment_account_name approver_id bcy_shipping_charge_tax client_viewed_time color_code " +
        "contact_category current_sub_status_id discount_account_id discount_account_name invoice_id " +
        "offline_created_date_with_time sales_channel salesperson_id salesperson_name " +
        "shipping_charge_account_id shipping_charge_account_name shipping_charge_tax " +
        "shipping_charge_tax_exemption_code shipping_charge_tax_exemption_id shipping_charge_tax_name " +
        "shipping_charge_tax_percentage shipping_charge_tax_type subject_content submitted_by " +
        "submitted_by_email submitted_by_name submitted_by_photo_url submitted_date submitter_id",
      lists:
        "approvers_list contact_persons_associated creditnote_refunds custom_fields documents exceptions " +
        "locked_actions shipping_charge_taxes sub_statuses tags taxes",
      objects: "custom_field_hash"
    },
    list: { texts: "client_viewed_time color_code current_sub_status_id", lists: "tags" }
  },
  customerpayments: {
    one: {
      texts:
        "account_identifier attachment_name bank_charges_account_id bank_charges_account_name beat_id " +
        "beat_number card_type journey_plan_id last_four_digits offline_created_date_with_time " +
        "online_transaction_id payment_gateway payment_link_id payment_number_prefix sales_channel " +
        "sales_person_id sales_person_name settlement_status tax_account_id tax_account_name tender_id",
      lists: "custom_fields deposit_details documents imported_transactions locked_actions payment_refunds tags",
      objects: "custom_field_hash"
    },
    list: {
      texts:
        "custom_fields_list documents gateway_transaction_id last_four_digits payment_gateway " +
        "sales_channel settlement_status tax_account_id tax_account_name",
      lists: "tags"
    }
  },
  vendorpayments: {
    one: {
      texts:
        "ach_payment_status approver_id bank_charges_account_id bank_charges_account_name " +
        "credit_account_id gw_reference_number payment_number_prefix purpose_code submitted_by " +
        "submitted_by_email submitted_by_name submitted_by_photo_url submitted_date submitter_id " +
        "tax_account_id tax_account_name tds_tax_id transfer_type",
      lists: "approvers_list custom_fields documents imported_transactions tags vendorpayment_refunds",
      objects: "custom_field_hash"
    },
    list: { texts: "ach_gw_transaction_id ach_payment_status gw_reference_number", lists: "tags" }
  },
  expenses: {
    one: {
      texts:
        "approver_id customer_name employee_email employee_id employee_name end_reading " +
        "expense_receipt_type invoice_id invoice_number location merchant_id merchant_name orientation " +
        "page_height page_width project_id project_name report_id report_name report_number " +
        "report_status start_reading template_id template_name template_type trip_id trip_number " +
        "vehicle_id vehicle_name vendor_name zcrm_potential_id zcrm_potential_name",
      lists: "custom_fields documents imported_transactions tags taxes",
      objects: "custom_field_hash"
    },
    list: {
      texts:
        "custom_fields_list customer_name end_reading report_id report_name report_number start_reading " +
        "vendor_name",
      lists: "tags"
    }
  },
  journals: {
    one: {
      texts:
        "approver_id custom_fields journal_number_prefix journal_template_name project_id project_name " +
        "reversal_date submitted_by submitted_by_email submitted_by_name submitted_by_photo_url " +
        "submitted_date submitter_id",
      lists: "approvers_list bills_credited branch_difference documents imported_transactions tags taxes"
    },
    list: { texts: "", lists: "tags" }
  },
  purchaseorders: {
    one: {
      texts:
        "approver_id attachment_name attention client_viewed_time color_code contact_category " +
        "current_sub_status_id delivery_customer_address_id delivery_org_address_id discount_account_id " +
        "discount_account_name expected_delivery_date ship_via ship_via_id submitted_by " +
        "submitted_by_email submitted_by_name submitted_by_photo_url submitted_date submitter_id",
      lists:
        "advances approvers_list bills contact_persons_associated custom_fields documents salesorders " +
        "sub_statuses tags taxes",
      objects: "custom_field_hash"
    },
    list: {
      texts:
        "client_viewed_time color_code current_sub_status_id delivery_days due_by_days due_in_days " +
        "expected_delivery_date price_precision",
      lists: "receives tags"
    }
  }
}
