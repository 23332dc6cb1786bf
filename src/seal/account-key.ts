/** Under this key the metadata of a log holds the account of its run [SEAL-4]. */
export const ACCOUNT_KEY = 'holdfast_account';

/** Under this key the metadata of a log says how it was recovered. */
export const RECOVERY_KEY = 'holdfast_recovery';
