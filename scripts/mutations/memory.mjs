export const MEMORY_MUTATIONS = [];
