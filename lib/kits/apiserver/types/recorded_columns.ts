export const RECORDED_COLUMNS = "";
