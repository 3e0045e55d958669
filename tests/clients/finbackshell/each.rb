# Runs each line of the file that STATEMENTS names in HBase's shell, whatever becomes of the one before.
File.readlines(ENV['STATEMENTS'], chomp: true).each_with_index do |line, at|
  puts "\n>>> #{at}"
  begin
    eval(line)
  rescue Exception => e
    puts "\nERROR: #{e}"
  end
end
nil
