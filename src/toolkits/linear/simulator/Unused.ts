import { Either } from "effect"
import { always, type Fields, nobody, nothing } from "./Fields.ts"

// Fields of features that the workspace does not use, as Linear shows them then. Linear's own client library asks for every
// field of an object.

const issue: Fields = {
  ...nobody("reactions:Reaction"),
  ...nothing(
    `integrationSourceType delegate:User botActor:ActorBot sourceComment:Comment syncedWith:ExternalEntityInfo
    externalUserCreator:ExternalUser asksExternalUserRequester:ExternalUser asksRequester:User lastAppliedTemplate:Template
    projectMilestone:ProjectMilestone recurringIssueTemplate:Template startedTriageAt triagedAt addedToCycleAt
    addedToProjectAt addedToTeamAt autoArchivedAt autoClosedAt slaStartedAt slaBreachesAt slaHighRiskAt slaMediumRiskAt
    slaType subIssueSortOrder snoozedUntilAt snoozedBy:User favorite:Favorite`
  ),
  ...always({
    reactionData: [],
    previousIdentifiers: [],
    customerTicketCount: 0,
    inheritsSharedAccess: false,
    boardOrder: 0,
    prioritySortOrder: 0
  }),
  sharedAccess: { type: "IssueSharedAccess", resolve: () => Either.right({}) }
}

/** Fields of types that have more. */
export const unused = {
  Issue: issue,
  IssueSearchResult: { ...issue, ...always({ metadata: {} }) },
  Comment: {
    ...nobody("reactions:Reaction"),
    ...nothing(
      `agentSession:AgentSession resolvingCommentId documentContentId initiativeId initiativeUpdateId projectId
      projectUpdateId botActor:ActorBot resolvingComment:Comment documentContent:DocumentContent
      syncedWith:ExternalEntityInfo externalThread:SyncedExternalThread externalUser:ExternalUser initiative:Initiative
      initiativeUpdate:InitiativeUpdate project:Project projectUpdate:ProjectUpdate quotedText resolvedAt
      resolvingUser:User`
    ),
    ...always({ reactionData: [] })
  },
  User: {
    ...nothing(
      "description avatarUrl statusUntilAt statusEmoji lastSeen disableReason statusLabel gitHubUserId title calendarHash"
    ),
    ...always({
      avatarBackgroundColor: "#5e6ad2",
      timezone: "Europe/Helsinki",
      isAssignable: true,
      isMentionable: true,
      guest: false,
      owner: false,
      app: false,
      supportsAgentSessions: false,
      canAccessAnyPublicTeam: true,
      inviteHash: ""
    })
  },
  Organization: {
    ...nothing(
      `allowedFileUploadContentTypes defaultFeedSummarySchedule slackProjectChannelIntegration:Integration logoUrl
      defaultHomeView defaultHomeViewTargetId initiativeUpdateReminderFrequencyInWeeks
      projectUpdateReminderFrequencyInWeeks gitBranchFormat deletionRequestedAt trialStartsAt trialEndsAt
      subscription:PaidSubscription`
    ),
    ...always({
      allowedAuthServices: [],
      authSettings: {},
      customersConfiguration: {},
      securitySettings: {},
      previousUrlKeys: [],
      pullRequestIssueMode: "smart",
      periodUploadVolume: 0,
      initiativeUpdateRemindersDay: "Friday",
      projectUpdateRemindersDay: "Friday",
      initiativeUpdateRemindersHour: 10,
      projectUpdateRemindersHour: 10,
      projectUpdatesReminderFrequency: "never",
      releaseChannel: "public",
      customerCount: 0,
      slackProjectChannelPrefix: "proj-",
      fiscalYearStartMonth: 0,
      slaDayCount: "all",
      hipaaComplianceEnabled: false,
      samlEnabled: false,
      scimEnabled: false,
      gitLinkbackDescriptionsEnabled: true,
      gitLinkbackMessagesEnabled: true,
      gitPublicLinkbackMessagesEnabled: false,
      releasesEnabled: false,
      customersEnabled: false,
      feedEnabled: false,
      suggestedBranchNameEnabled: true,
      roadmapEnabled: true,
      pullRequestTourEnabled: false,
      aiDiscussionSummariesEnabled: false,
      aiThreadSummariesEnabled: false,
      hideNonPrimaryOrganizations: false,
      allowMembersToInvite: true,
      restrictTeamCreationToAdmins: false,
      restrictLabelManagementToAdmins: false
    })
  },
  Team: {
    ...nothing(
      `autoClosePeriod integrationsSettings:IntegrationsSettings triageResponsibility:TriageResponsibility scimGroupName
      autoCloseStateId defaultTemplateForMembers:Template defaultTemplateForNonMembers:Template
      defaultProjectTemplate:Template icon defaultTemplateForMembersId defaultTemplateForNonMembersId color parent:Team
      retiredAt viewerMembership:TeamMembership mergeWorkflowState:WorkflowState draftWorkflowState:WorkflowState
      startWorkflowState:WorkflowState mergeableWorkflowState:WorkflowState reviewWorkflowState:WorkflowState
      triageIssueState:WorkflowState markedAsDuplicateWorkflowState:WorkflowState allMembersCanJoin autoCloseChildIssues
      autoCloseParentIssues`
    ),
    ...always({
      cycleIssueAutoAssignCompleted: false,
      cycleLockToActive: false,
      cycleIssueAutoAssignStarted: false,
      upcomingCycleCount: 2,
      autoArchivePeriod: 6,
      securitySettings: {},
      cycleCooldownTime: 0,
      cycleStartDay: 1,
      cycleDuration: 2,
      issueEstimationType: "fibonacci",
      issueEstimationExtended: false,
      issueEstimationAllowZero: false,
      defaultIssueEstimate: 1,
      ledInitiativeCount: 0,
      timezone: "Europe/Helsinki",
      visibility: "public",
      private: false,
      setIssueSortOrderOnStateChange: "default",
      requirePriorityToLeaveTriage: false,
      triageEnabled: false,
      initiativesEnabled: false,
      scimManaged: false,
      inheritIssueEstimation: false,
      inheritWorkflowStatuses: false,
      viewerCanJoin: false,
      viewerCanLeave: true,
      aiDiscussionSummariesEnabled: false,
      aiThreadSummariesEnabled: false,
      groupIssueHistory: true,
      slackIssueComments: false,
      slackNewIssue: false,
      slackIssueStatuses: false,
      inviteHash: "",
      issueOrderingNoPriorityFirst: false,
      issueSortOrderDefaultToBottom: false
    })
  },
  WorkflowState: nothing("description inheritedFrom:WorkflowState"),
  IssueLabel: {
    ...nothing("lastAppliedAt inheritedFrom:IssueLabel parent:IssueLabel groupType creator:User retiredBy:User"),
    ...always({ isGroup: false })
  },
  Project: {
    ...nothing(
      `trashed integrationsSettings:IntegrationsSettings microsoftTeamsChannelId slackChannelId
      documentContent:DocumentContent updateRemindersDay syncedWith:ExternalEntityInfo updateReminderFrequency
      updateRemindersHour icon convertedFromIssue:Issue lastAppliedTemplate:Template lastUpdate:ProjectUpdate
      updateReminderFrequencyInWeeks health healthUpdatedAt targetDateResolution startDateResolution autoArchivedAt
      canceledAt completedAt startedAt projectUpdateRemindersPausedUntilAt creator:User favorite:Favorite`
    ),
    ...always({
      labelIds: [],
      resourceCount: 0,
      frequencyResolution: "weekly",
      prioritySortOrder: 0,
      sortOrder: 0,
      issueCountHistory: [],
      completedIssueCountHistory: [],
      scopeHistory: [],
      completedScopeHistory: [],
      inProgressScopeHistory: [],
      slackIssueComments: false,
      slackNewIssue: false,
      slackIssueStatuses: false
    })
  },
  ProjectStatus: { ...nothing("description"), ...always({ indefinite: false }) },
  Cycle: {
    ...nothing("description inheritedFrom:Cycle autoArchivedAt"),
    ...always({
      issueCountHistory: [],
      completedIssueCountHistory: [],
      scopeHistory: [],
      completedScopeHistory: [],
      inProgressScopeHistory: []
    })
  }
} satisfies { readonly [type: string]: Fields }

const dated = "id createdAt updatedAt archivedAt"

/** Types that have no object in the workspace, or the same one everywhere. */
export const absent: { readonly [type: string]: Fields } = {
  ActorBot: nothing("id type subType name userDisplayName avatarUrl"),
  AgentSession: nothing("id"),
  AiPromptRules: nothing(`${dated} updatedBy:User`),
  Document: nothing("id"),
  DocumentContent: nothing(
    `${dated} aiPromptRules:AiPromptRules content contentState document:Document initiative:Initiative issue:Issue
    project:Project projectMilestone:ProjectMilestone restoredAt welcomeMessage:WelcomeMessage`
  ),
  ExternalEntityInfo: nothing("id service metadata:ExternalEntityInfoMetadata"),
  ExternalEntityInfoGithubMetadata: nothing("number owner repo"),
  ExternalEntityInfoJiraMetadata: nothing("issueKey issueTypeId projectId"),
  ExternalEntitySlackMetadata: nothing("messageUrl channelId channelName isFromSlack"),
  ExternalUser: nothing("id"),
  Favorite: nothing("id"),
  Initiative: nothing("id"),
  InitiativeUpdate: nothing("id"),
  Integration: nothing("id"),
  IntegrationsSettings: nothing("id"),
  PaidSubscription: nothing(
    `${dated} collectionMethod cancelAt canceledAt nextBillingAt seatsMaximum seatsMinimum seats type pendingChangeType
    creator:User`
  ),
  IssueSharedAccess: {
    ...always({ isShared: false, viewerHasOnlySharedAccess: false, sharedWithCount: 0, disallowedIssueFields: [] }),
    ...nobody("sharedWithUsers:User")
  },
  ProjectMilestone: nothing("id"),
  ProjectUpdate: nothing("id"),
  Reaction: nothing(
    `${dated} emoji comment:Comment externalUser:ExternalUser initiativeUpdate:InitiativeUpdate issue:Issue
    projectUpdate:ProjectUpdate user:User`
  ),
  SyncedExternalThread: nothing(
    `id type subType name displayName url isConnected isPersonalIntegrationConnected isPersonalIntegrationRequired`
  ),
  TeamMembership: nothing("id"),
  Template: nothing("id"),
  TriageResponsibility: nothing("id"),
  WelcomeMessage: nothing(`${dated} title enabled updatedBy:User`)
}

/** Types that stand for one of several. */
export const unions = {
  ExternalEntityInfoMetadata: [
    "ExternalEntityInfoGithubMetadata",
    "ExternalEntityInfoJiraMetadata",
    "ExternalEntitySlackMetadata"
  ]
}
