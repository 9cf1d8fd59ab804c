// Types for the parts of the library that the tests use; it comes without any.
declare module "@zohocrm/nodejs-sdk-8.0" {
  class Environment {
    private readonly url: string
  }
  export const DataCenter: {
    readonly setEnvironment: (url: string, accountsUrl: string, fileUploadUrl: string) => Environment
  }
  class OAuthToken {
    private readonly refreshToken: string
    setAccessToken(token: string): void
  }
  export class OAuthBuilder {
    clientId(id: string): this
    clientSecret(secret: string): this
    refreshToken(token: string): this
    build(): OAuthToken
  }
  export class FileStore {
    private readonly filePath: string
    constructor(path: string)
  }
  class SDKConfig {
    private readonly pickListValidation: boolean
  }
  export class SDKConfigBuilder {
    autoRefreshFields(refresh: boolean): this
    pickListValidation(validate: boolean): this
    build(): SDKConfig
  }
  class Logger {
    private readonly level: string
  }
  export const Levels: { readonly INFO: string }
  export class LogBuilder {
    level(level: string): this
    filePath(path: string): this
    build(): Logger
  }
  /** Its constructor answers with a promise of it. */
  export const InitializeBuilder: new () => Promise<Initializing>
  interface Initializing {
    environment(environment: Environment): Initializing
    token(token: OAuthToken): Initializing
    store(store: FileStore): Initializing
    SDKConfig(config: SDKConfig): Initializing
    resourcePath(path: string): Initializing
    logger(logger: Logger): Initializing
    initialize(): Promise<void>
  }
  export class Choice {
    constructor(value: string)
    getValue(): string
  }
  class Param {
    private readonly name: string
  }
  export class ParameterMap {
    add(param: Param, value: string | number): Promise<void>
  }
  interface APIResponse<A> {
    getStatusCode(): number
    getObject(): A | null
  }
  interface ActionResponse {
    getCode(): Choice
    getDetails(): Map<string, unknown>
  }
  interface ActionWrapper {
    getData(): Array<ActionResponse>
  }
  interface Info {
    getMoreRecords(): boolean
    getNextPageToken(): string | null
  }
  interface Wrapper<A> {
    getData(): Array<A>
    getInfo(): Info
  }
  export namespace Record {
    class Record {
      getId(): bigint
      setId(id: bigint): void
      addKeyValue(name: string, value: unknown): void
      getKeyValue(name: string): unknown
    }
    class BodyWrapper {
      setData(records: Array<Record>): void
    }
    class RecordOperations {
      constructor(module: string)
      createRecords(request: BodyWrapper): Promise<APIResponse<ActionWrapper>>
      updateRecord(id: bigint, request: BodyWrapper): Promise<APIResponse<ActionWrapper>>
      getRecord(id: bigint): Promise<APIResponse<Wrapper<Record>>>
      getRecords(params: ParameterMap): Promise<APIResponse<Wrapper<Record>>>
      deleteRecord(id: bigint): Promise<APIResponse<ActionWrapper>>
    }
    const GetRecordsParam: {
      readonly FIELDS: Param
      readonly PER_PAGE: Param
      readonly PAGE_TOKEN: Param
    }
  }
  export namespace Modules {
    class MinifiedModule {
      setAPIName(name: string): void
    }
  }
  export namespace Notes {
    class ParentId {
      setId(id: bigint): void
      setModule(module: Modules.MinifiedModule): Promise<void>
      getId(): bigint
    }
    class Note {
      getId(): bigint
      getNoteTitle(): string | null
      setNoteTitle(title: string): void
      getNoteContent(): string | null
      setNoteContent(content: string): void
      getParentId(): ParentId
      setParentId(parent: ParentId): Promise<void>
    }
    class BodyWrapper {
      setData(notes: Array<Note>): void
    }
    class NotesOperations {
      createNotes(request: BodyWrapper): Promise<APIResponse<ActionWrapper>>
      updateNote(id: bigint, request: BodyWrapper): Promise<APIResponse<ActionWrapper>>
      getNote(id: bigint): Promise<APIResponse<Wrapper<Note>>>
      getNotes(params: ParameterMap): Promise<APIResponse<Wrapper<Note>>>
      deleteNote(id: bigint): Promise<APIResponse<ActionWrapper>>
    }
    const GetNotesParam: { readonly FIELDS: Param; readonly PAGE: Param }
  }
}
