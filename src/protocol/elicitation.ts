/** Questions of MCP servers, as forwarded to the client. Implemented in mcp/. */
import {
  array,
  boolean,
  type Infer,
  intersect,
  literals,
  maybe,
  named,
  natural,
  number,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";

export const McpServerElicitationRequestParams = named("McpServerElicitationRequestParams", () =>
  intersect([
    object({ serverName: string(), threadId: string(), turnId: maybe(string()) }),
    union([
      object({
        challenge: string(),
        description: string(),
        mode: literals("openai/userVerification"),
        title: string(),
        _meta: optional(unknown()),
      }),
      object({ message: string(), mode: literals("form"), requestedSchema: McpElicitationSchema(), _meta: optional(unknown()) }),
      object({ message: string(), mode: literals("openai/form"), requestedSchema: unknown(), _meta: optional(unknown()) }),
      object({ message: string(), mode: literals("openaiForm"), requestedSchema: unknown(), _meta: optional(unknown()) }),
      object({ elicitationId: string(), message: string(), mode: literals("url"), url: string(), _meta: optional(unknown()) }),
    ]),
  ]),
);
export type McpServerElicitationRequestParams = Infer<typeof McpServerElicitationRequestParams>;

export const McpServerElicitationRequestResponse = named("McpServerElicitationRequestResponse", () =>
  object({ action: McpServerElicitationAction(), _meta: optional(unknown()), content: optional(unknown()) }),
);
export type McpServerElicitationRequestResponse = Infer<typeof McpServerElicitationRequestResponse>;

export const McpElicitationSchema = named("McpElicitationSchema", () =>
  object({
    type: McpElicitationObjectType(),
    properties: record(McpElicitationPrimitiveSchema()),
    $schema: maybe(string()),
    required: maybe(array(string())),
  }),
);
export type McpElicitationSchema = Infer<typeof McpElicitationSchema>;

export const McpServerElicitationAction = named("McpServerElicitationAction", () => literals("accept", "decline", "cancel"));
export type McpServerElicitationAction = Infer<typeof McpServerElicitationAction>;

export const McpElicitationPrimitiveSchema = named("McpElicitationPrimitiveSchema", () =>
  union([McpElicitationEnumSchema(), McpElicitationStringSchema(), McpElicitationNumberSchema(), McpElicitationBooleanSchema()]),
);
export type McpElicitationPrimitiveSchema = Infer<typeof McpElicitationPrimitiveSchema>;

export const McpElicitationObjectType = named("McpElicitationObjectType", () => literals("object"));
export type McpElicitationObjectType = Infer<typeof McpElicitationObjectType>;

export const McpElicitationEnumSchema = named("McpElicitationEnumSchema", () =>
  union([McpElicitationSingleSelectEnumSchema(), McpElicitationMultiSelectEnumSchema(), McpElicitationLegacyTitledEnumSchema()]),
);
export type McpElicitationEnumSchema = Infer<typeof McpElicitationEnumSchema>;

export const McpElicitationStringSchema = named("McpElicitationStringSchema", () =>
  object({
    type: McpElicitationStringType(),
    default: maybe(string()),
    description: maybe(string()),
    format: maybe(McpElicitationStringFormat()),
    maxLength: maybe(natural()),
    minLength: maybe(natural()),
    title: maybe(string()),
  }),
);
export type McpElicitationStringSchema = Infer<typeof McpElicitationStringSchema>;

export const McpElicitationNumberSchema = named("McpElicitationNumberSchema", () =>
  object({
    type: McpElicitationNumberType(),
    default: maybe(number()),
    description: maybe(string()),
    maximum: maybe(number()),
    minimum: maybe(number()),
    title: maybe(string()),
  }),
);
export type McpElicitationNumberSchema = Infer<typeof McpElicitationNumberSchema>;

export const McpElicitationBooleanSchema = named("McpElicitationBooleanSchema", () =>
  object({ type: McpElicitationBooleanType(), default: maybe(boolean()), description: maybe(string()), title: maybe(string()) }),
);
export type McpElicitationBooleanSchema = Infer<typeof McpElicitationBooleanSchema>;

export const McpElicitationSingleSelectEnumSchema = named("McpElicitationSingleSelectEnumSchema", () =>
  union([McpElicitationUntitledSingleSelectEnumSchema(), McpElicitationTitledSingleSelectEnumSchema()]),
);
export type McpElicitationSingleSelectEnumSchema = Infer<typeof McpElicitationSingleSelectEnumSchema>;

export const McpElicitationMultiSelectEnumSchema = named("McpElicitationMultiSelectEnumSchema", () =>
  union([McpElicitationUntitledMultiSelectEnumSchema(), McpElicitationTitledMultiSelectEnumSchema()]),
);
export type McpElicitationMultiSelectEnumSchema = Infer<typeof McpElicitationMultiSelectEnumSchema>;

export const McpElicitationLegacyTitledEnumSchema = named("McpElicitationLegacyTitledEnumSchema", () =>
  object({
    type: McpElicitationStringType(),
    enum: array(string()),
    default: maybe(string()),
    description: maybe(string()),
    enumNames: maybe(array(string())),
    title: maybe(string()),
  }),
);
export type McpElicitationLegacyTitledEnumSchema = Infer<typeof McpElicitationLegacyTitledEnumSchema>;

export const McpElicitationStringFormat = named("McpElicitationStringFormat", () => literals("email", "uri", "date", "date-time"));
export type McpElicitationStringFormat = Infer<typeof McpElicitationStringFormat>;

export const McpElicitationStringType = named("McpElicitationStringType", () => literals("string"));
export type McpElicitationStringType = Infer<typeof McpElicitationStringType>;

export const McpElicitationNumberType = named("McpElicitationNumberType", () => literals("number", "integer"));
export type McpElicitationNumberType = Infer<typeof McpElicitationNumberType>;

export const McpElicitationBooleanType = named("McpElicitationBooleanType", () => literals("boolean"));
export type McpElicitationBooleanType = Infer<typeof McpElicitationBooleanType>;

export const McpElicitationUntitledSingleSelectEnumSchema = named("McpElicitationUntitledSingleSelectEnumSchema", () =>
  object({
    type: McpElicitationStringType(),
    enum: array(string()),
    default: maybe(string()),
    description: maybe(string()),
    title: maybe(string()),
  }),
);
export type McpElicitationUntitledSingleSelectEnumSchema = Infer<typeof McpElicitationUntitledSingleSelectEnumSchema>;

export const McpElicitationTitledSingleSelectEnumSchema = named("McpElicitationTitledSingleSelectEnumSchema", () =>
  object({
    type: McpElicitationStringType(),
    oneOf: array(McpElicitationConstOption()),
    default: maybe(string()),
    description: maybe(string()),
    title: maybe(string()),
  }),
);
export type McpElicitationTitledSingleSelectEnumSchema = Infer<typeof McpElicitationTitledSingleSelectEnumSchema>;

export const McpElicitationUntitledMultiSelectEnumSchema = named("McpElicitationUntitledMultiSelectEnumSchema", () =>
  object({
    type: McpElicitationArrayType(),
    items: McpElicitationUntitledEnumItems(),
    default: maybe(array(string())),
    description: maybe(string()),
    maxItems: maybe(natural()),
    minItems: maybe(natural()),
    title: maybe(string()),
  }),
);
export type McpElicitationUntitledMultiSelectEnumSchema = Infer<typeof McpElicitationUntitledMultiSelectEnumSchema>;

export const McpElicitationTitledMultiSelectEnumSchema = named("McpElicitationTitledMultiSelectEnumSchema", () =>
  object({
    type: McpElicitationArrayType(),
    items: McpElicitationTitledEnumItems(),
    default: maybe(array(string())),
    description: maybe(string()),
    maxItems: maybe(natural()),
    minItems: maybe(natural()),
    title: maybe(string()),
  }),
);
export type McpElicitationTitledMultiSelectEnumSchema = Infer<typeof McpElicitationTitledMultiSelectEnumSchema>;

export const McpElicitationConstOption = named("McpElicitationConstOption", () => object({ const: string(), title: string() }));
export type McpElicitationConstOption = Infer<typeof McpElicitationConstOption>;

export const McpElicitationUntitledEnumItems = named("McpElicitationUntitledEnumItems", () =>
  object({ type: McpElicitationStringType(), enum: array(string()) }),
);
export type McpElicitationUntitledEnumItems = Infer<typeof McpElicitationUntitledEnumItems>;

export const McpElicitationArrayType = named("McpElicitationArrayType", () => literals("array"));
export type McpElicitationArrayType = Infer<typeof McpElicitationArrayType>;

export const McpElicitationTitledEnumItems = named("McpElicitationTitledEnumItems", () =>
  object({ anyOf: array(McpElicitationConstOption()) }),
);
export type McpElicitationTitledEnumItems = Infer<typeof McpElicitationTitledEnumItems>;
